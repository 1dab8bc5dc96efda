// How relevant the items are that little is known of.

import type { Pool } from './pool.ts'

/** So many rows, evenly spaced, stand for a pool: more would cost as much as a pass over it. */
const SAMPLE = 512

/** The mean relevance of a pool's items, weighted by σ²; the lowest where nothing is unknown. */
export function relevanceOfUnknown(
  { items, uncertainty, offsets }: Pool,
  user: Float32Array,
): number {
  const { rows, columns, values } = items
  const sigma = uncertainty.values
  const count = Math.min(SAMPLE, rows)
  let [sum, total, lowest] = [0, 0, Infinity]
  for (let i = 0; i < count; i++) {
    const row = Math.floor((i * rows) / count)
    const variance = sigma[row]! ** 2
    let relevance = offsets?.[row] ?? 0
    for (let j = 0; j < columns; j++) relevance += user[j]! * values[row * columns + j]!
    sum += variance * relevance
    total += variance
    if (relevance < lowest) lowest = relevance
  }
  return total > 0 ? sum / total : lowest
}
