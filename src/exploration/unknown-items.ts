// How relevant the items are that little is known of.

import type { Tensor } from '../kernels/index.ts'
import type { Pool } from './pool.ts'

/** So many rows, evenly spaced, stand for a pool: more would cost as much as a pass over it. */
const SAMPLE = 512
/** Rows that are multiplied side by side: each sum waits for its last term. */
const LANES = 4

const sampleSize = (rows: number): number => Math.min(SAMPLE, rows)
const sampledRow = (place: number, rows: number): number =>
  Math.floor((place * rows) / sampleSize(rows))

/**
 * The vectors of the rows that stand for a pool, four rows side by side, column after column; those
 * that are missing in the last four are zero.
 */
export function sampleVectors({ rows, columns, values }: Tensor): Float32Array {
  const count = sampleSize(rows)
  const sample = new Float32Array(LANES * Math.ceil(count / LANES) * columns)
  for (let place = 0; place < count; place++) {
    const lane = place % LANES
    const to = (place - lane) * columns + lane
    const from = sampledRow(place, rows) * columns
    for (let j = 0; j < columns; j++) sample[to + LANES * j] = values[from + j]!
  }
  return sample
}

/** The mean relevance of a pool's items, weighted by σ²; the lowest where nothing is unknown. */
export function relevanceOfUnknown(
  { items, uncertainty, offsets, sample = sampleVectors(items) }: Pool,
  user: Float32Array,
): number {
  const { rows } = items
  const count = sampleSize(rows)
  const [relevance, variances] = [newScratch(count), newScratch(count)]
  const sigma = uncertainty.values
  let total = 0
  for (let place = 0; place < count; place++) {
    const row = sampledRow(place, rows)
    if (offsets !== undefined) relevance[place] = offsets[row]!
    variances[place] = sigma[row]! ** 2
    total += variances[place]!
  }
  // All zero while the model has no weight.
  if (user.some((value) => value !== 0)) {
    // What is known has no weight in the mean: its products are needed only where nothing is unknown.
    addProducts(relevance, sample, user, total > 0 ? variances : null)
  }
  let [sum, lowest] = [0, Infinity]
  for (let place = 0; place < count; place++) {
    sum += variances[place]! * relevance[place]!
    if (relevance[place]! < lowest) lowest = relevance[place]!
  }
  return total > 0 ? sum / total : lowest
}

const newScratch = (count: number) => new Float64Array(LANES * Math.ceil(count / LANES))

/** Adds μᵀθ of every sampled row to its place; where there are weights, only of fours that have some. */
function addProducts(
  out: Float64Array,
  sample: Float32Array,
  user: Float32Array,
  weights: Float64Array | null,
): void {
  const columns = user.length
  for (let place = 0; place < out.length; place += LANES) {
    if (weights !== null && !hasWeight(weights, place)) continue
    let at = place * columns
    let [a, b, c, d] = [out[place]!, out[place + 1]!, out[place + 2]!, out[place + 3]!]
    for (let j = 0; j < columns; j++, at += LANES) {
      const value = user[j]!
      a += value * sample[at]!
      b += value * sample[at + 1]!
      c += value * sample[at + 2]!
      d += value * sample[at + 3]!
    }
    out[place] = a
    out[place + 1] = b
    out[place + 2] = c
    out[place + 3] = d
  }
}

function hasWeight(weights: Float64Array, place: number): boolean {
  return weights[place]! + weights[place + 1]! + weights[place + 2]! + weights[place + 3]! > 0
}
