// A row as it is kept: short, and fit for JSON.

import { RenError } from '../core/errors.ts'
import type { RunRow } from './row.ts'

/** Six, which is more than any figure shows and keeps a line short. */
const significantDigits = 6

/** Values to six significant digits; a value that is not finite is refused. */
export function roundRow(row: RunRow): RunRow {
  const round = (value: number, name: string): number => {
    // Plus 0, since JSON does not know a negative nought.
    if (Number.isFinite(value)) return Number(value.toPrecision(significantDigits)) + 0
    throw new RenError('non-finite-result', `${name}: expected finite values, got ${value}`)
  }
  return {
    ...row,
    series: mapValues(row.series, (values, name) => values.map((value) => round(value, name))),
    measures: mapValues(row.measures, round),
    milliseconds: Math.round(row.milliseconds),
  }
}

const mapValues = <T, U>(
  record: Readonly<Record<string, T>>,
  map: (value: T, name: string) => U,
): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]))
