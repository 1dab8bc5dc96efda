// A plan of the random walks of walk-protocol.ts.

import type { Plan } from '../paper/experiments/plan-schema.ts'
import { parsePlan } from '../paper/experiments/plan.ts'

/** A plan of two methods in two panels with three seeds, with the given changes. */
export function walkPlan(change: Readonly<Record<string, unknown>> = {}): Plan {
  return parsePlan({ ...walkFile, ...change }, 'walk.json')
}

/** The contents of its file. */
export const walkFile = {
  name: 'walk',
  title: 'Random walks',
  label: 'generated data',
  protocol: 'walk',
  seeds: '200..202',
  panels: [
    { name: 'short', title: 'Short walks', world: { steps: 5 } },
    { name: 'long', title: 'Long walks', world: { steps: 20 } },
  ],
  methods: [
    { name: 'uphill', method: 'walk', settings: { drift: 1 } },
    { name: 'level', method: 'walk' },
  ],
  comparisons: [{ method: 'uphill', against: 'level', measure: 'end' }],
  figures: [
    {
      file: 'curves',
      kind: 'curves',
      title: 'Walks',
      xLabel: 'step',
      yLabel: 'place',
      series: 'place',
    },
  ],
  table: { measures: [{ name: 'end', title: 'end' }] },
  quick: { seeds: '1..2', world: { steps: 2 }, panels: ['short'] },
  check: [{ panel: 'short', method: 'level', seed: 201 }],
}
