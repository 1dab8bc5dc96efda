// Refuses rows that cannot be averaged, such as rows of a results folder that another version has written.

import { RenError } from '../../src/core/errors.ts'
import type { RunRow } from '../../src/experiments/protocol.ts'
import type { Pairing } from '../../src/experiments/summary.ts'

/** Throws if rows of one method do not fit together, or if no row has a measure to compare by. */
export function requireSummable(rows: readonly RunRow[], pairings: readonly Pairing[]): void {
  requireMeasures(rows, pairings)
  const runs = Map.groupBy(rows, ({ panel, method }) => JSON.stringify([panel, method]))
  for (const some of runs.values()) requireEqualShape(some.toSorted((a, b) => a.seed - b.seed))
}

/** Refuses to compare by a measure that no run has. */
function requireMeasures(rows: readonly RunRow[], pairings: readonly Pairing[]): void {
  const run = rows[0]
  for (const { measure } of pairings) {
    if (run && !rows.some(({ measures }) => Object.hasOwn(measures, measure)))
      refuse(run, `a measure ${measure} to compare by`, names(run.measures) || 'none')
  }
}

/** Refuses runs of one method with different points or values. */
function requireEqualShape(runs: readonly RunRow[]): void {
  const first = runs[0]!
  for (const [i, run] of runs.entries()) {
    checkLengths(run)
    if (run.seed === runs[i - 1]?.seed) refuse(run, 'one row per seed', 'two')
    for (const [what, of] of properties) {
      if (of(run) !== of(first))
        refuse(run, `the ${what} of seed ${first.seed} (${of(first)})`, of(run))
    }
  }
}

const names = (record: object): string => Object.keys(record).toSorted().join(', ')

/** Properties that all runs of a method share. */
const properties: readonly (readonly [string, (run: RunRow) => string])[] = [
  ['points `at`', (run) => run.at.join(', ')],
  ['series', (run) => names(run.series)],
  ['measures', (run) => names(run.measures)],
]

/** Values are finite: workers and files refuse others (`roundRow`, results-folder.ts). */
function checkLengths(run: RunRow): void {
  for (const [name, values] of Object.entries(run.series)) {
    if (values.length !== run.at.length)
      refuse(run, `${run.at.length} values of ${name}`, `${values.length}`, 'shape-mismatch')
  }
}

function refuse(
  { panel, method, seed }: RunRow,
  expected: string,
  actual: string,
  code: 'invalid-argument' | 'shape-mismatch' = 'invalid-argument',
): never {
  throw new RenError(
    code,
    `${method} in ${panel}, seed ${seed}, must have ${expected}, got ${actual}`,
  )
}
