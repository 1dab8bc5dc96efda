// The protocol `race`: one method plays all rounds of one world.

import { mean } from '../core/statistics.ts'
import { createEngine } from '../kernels/index.ts'
import { createTally, rollingMean, run } from '../simulation/index.ts'
import type { Row, Tally } from '../simulation/index.ts'
import { enter, tryContestant } from './contestants.ts'
import { runKernel } from './kernel.ts'
import type { Protocol, RunJob } from './protocol.ts'
import type { RunRow } from './row.ts'
import { worldOf, worlds } from './worlds/index.ts'

/** The protocol over these worlds. */
export const createRace = (known: typeof worlds): Protocol => ({
  async check({ world: { kind, ...settings }, method, settings: own }) {
    worldOf(kind, known).check(settings)
    await tryContestant(method, own)
  },
  async run(job, progress) {
    const start = performance.now()
    const { steps, rows, tally, close } = await openRace(job, known)
    try {
      for (const { step } of rows) progress(step / steps)
      const milliseconds = Math.round(performance.now() - start)
      const { panel, label: method, seed } = job
      return { panel, method, seed, ...curvesOf(tally), measures: measuresOf(tally), milliseconds }
    } finally {
      close()
    }
  },
})

export const race = createRace(worlds)

/** A race that has not begun. */
export interface OpenRace {
  readonly steps: number
  /** Plays as far as it is asked; the tally grows along. */
  readonly rows: Iterable<Row>
  readonly tally: Tally
  close(): void
}

export async function openRace(
  job: Pick<RunJob, 'world' | 'method' | 'settings' | 'seed' | 'data'>,
  known: typeof worlds = worlds,
): Promise<OpenRace> {
  const { world, method, settings, seed, data } = job
  const engine = await createEngine({ kernel: runKernel })
  const { kind, ...worldSettings } = world
  const created = await worldOf(kind, known).create(worldSettings, seed, data)
  const { environment, contestant } = enter(engine, created, method, settings, seed)
  const { itemNames, steps, dissimilarity } = environment
  const tally = createTally({
    itemCount: itemNames.length,
    ...(dissimilarity && { dissimilarity }),
  })
  function* rows(): Generator<Row, void> {
    for (const row of run(environment, contestant)) {
      tally.add(row)
      yield row
    }
  }
  return { steps, rows: rows(), tally, close: () => engine.close() }
}

/** A point every 50 steps as in the paper's figures, and at most about 40 of them. */
const pointEvery = 50
const maxPoints = 40

/** The rolling mean of at least 100 rewards, and the cumulative regret, at points along the run. */
export function curvesOf({ rewards, regrets }: Tally): Pick<RunRow, 'at' | 'series'> {
  const steps = rewards.length
  const every = Math.min(
    steps,
    Math.max(pointEvery, Math.ceil(steps / maxPoints / pointEvery) * pointEvery),
  )
  const at = Array.from({ length: Math.floor(steps / every) }, (_, i) => (i + 1) * every)
  return {
    at,
    series: {
      reward: rollingMean(rewards, at, Math.max(2 * pointEvery, 2 * every)),
      regret: at.map((step) => regrets[step - 1]!),
    },
  }
}

/** The last 100 steps up to these are measured, where the run is as long. */
const measuredAt = [500, 900]

/** Over the whole run and parts of it: `first50`, `lastThird`, … */
function measuresOf(tally: Tally): Record<string, number> {
  const { rewards } = tally
  const steps = rewards.length
  const meanOf = (from: number, to: number): number => mean(rewards.slice(from, to))
  const reached = measuredAt.filter((step) => step <= steps)
  return {
    ...tally.metrics(),
    first50: meanOf(0, 50),
    ...Object.fromEntries(reached.map((step) => [`at${step}`, meanOf(step - 100, step)])),
    firstTwelfth: meanOf(0, Math.ceil(steps / 12)),
    lastThird: meanOf(steps - Math.floor(steps / 3), steps),
    lastHalf: meanOf(steps - Math.floor(steps / 2), steps),
  }
}
