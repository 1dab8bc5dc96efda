// Uniform draws from what a slate has not taken yet, with their exact chances.

import type { Random } from '../core/random.ts'
import type { RowPick } from './slate-policy.ts'

/** Uniform over the entries of `rows` that are not in `taken`, of which there is at least one. */
export function drawUntaken(random: Random, rows: Int32Array, taken: ReadonlySet<number>): number {
  let row = rows[random.integer(rows.length)]!
  while (taken.has(row)) row = rows[random.integer(rows.length)]!
  return row
}

/** `count` more rows in uniformly random order. Nothing ranks them: their score is 0. */
export function drawRest(
  random: Random,
  rows: Int32Array,
  count: number,
  taken: Set<number> = new Set(),
): RowPick[] {
  return Array.from({ length: count }, () => {
    const propensity = 1 / (rows.length - taken.size)
    const row = drawUntaken(random, rows, taken)
    taken.add(row)
    return { row, score: 0, propensity }
  })
}
