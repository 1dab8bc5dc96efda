// Greedy DPP: greedily maximizes det of the kernel L_ij = q_i·q_j·μ_iᵀμ_j over the slate, with
// quality q = exp(w·μᵀθ) and w = `relevanceWeight`. It reads the slate only, not the history.
//   score = ln(q_i·r_i) = w·μ_iᵀθ + ln r_i, r_i = distance of μ_i from the span of the earlier picks
// q_i²·r_i² is the remaining diagonal of the incremental Cholesky factorization of L. `diversity`
// is r. r has a floor, which it reaches after d picks at the latest; from then on relevance
// decides. Cost per pick: one dot-product pass and one logarithm per item. Use it for slates
// without similar items if nothing needs to be learned.

import { portableLogarithm } from '../core/random.ts'
import { nonNegativeNumber } from '../core/settings.ts'
import { explorationSetting, factorsOf } from './exploration-weight.ts'
import { bestRows, createSlatePolicy, definePolicy } from './slate-policy.ts'
import type { RowPick, SlateRequest } from './slate-policy.ts'

/** Squared distances below this share of the mean ‖μ‖² are float32 rounding. */
const FLOOR = 1e-5

/**
 * Creates the policy `greedy-dpp`, a greedy determinantal point process: relevant items that differ
 * from each other. It does not read the user's history and does not explore.
 */
export const createGreedyDppPolicy = definePolicy(
  'greedy-dpp',
  {
    relevanceWeight: nonNegativeNumber('Weight of relevance against diversity within the slate', 1),
    ...explorationSetting,
  },
  (engine, { relevanceWeight, explorationWeight }) =>
    createSlatePolicy(engine, 'greedy-dpp', (request) => pickDiverse(request, relevanceWeight), {
      explorationWeight,
    }),
)

function pickDiverse(request: SlateRequest, relevanceWeight: number): RowPick[] {
  const { candidates, relevance, count, seed, explorationWeight, engine, temporary } = request
  const factors = factorsOf(explorationWeight)
  // At weight 0 the order is that of relevance for any weight of it.
  const slope = explorationWeight === 0 ? 1 : factors.estimate * relevanceWeight
  const { embeddings } = candidates
  const forms = squaredNorms(request) // r² of every row
  const floor = FLOOR * (forms.values.reduce((sum, form) => sum + form, 0) / forms.columns || 1)
  const direction = temporary.vector('direction', embeddings.columns)
  const basis: Float64Array[] = []
  const scores = new Float64Array(embeddings.rows)
  const picks: RowPick[] = []
  let rows = candidates.rows
  while (picks.length < count) {
    const distances = forms.values
    for (const row of rows) {
      const square = Math.max(distances[row]!, floor)
      scores[row] = slope * relevance[row]! + (factors.bonus * portableLogarithm(square)) / 2
    }
    const row = bestRows({ rows, itemOf: candidates.itemOf }, scores, 1, seed)[0]!
    picks.push({ row, score: scores[row]!, diversity: Math.sqrt(distances[row]!) })
    rows = rows.filter((other) => other !== row)
    if (distances[row]! <= floor) continue
    const start = row * embeddings.columns
    const vector = embeddings.values.subarray(start, start + embeddings.columns)
    direction.values.set(extendBasis(basis, vector))
    engine.operations.rankOneUpdate({ scale: 1, x: embeddings, direction, forms })
  }
  return picks
}

function squaredNorms({ engine, temporary, candidates }: SlateRequest) {
  const forms = temporary.vector('forms', candidates.embeddings.rows)
  engine.operations.rowNorms({ x: candidates.embeddings, out: forms })
  const { values } = forms
  for (let row = 0; row < values.length; row++) values[row]! *= values[row]!
  return forms
}

/** Adds a vector outside the span of an orthonormal basis to it. Returns the new basis vector. */
function extendBasis(basis: Float64Array[], vector: Float32Array): Float64Array {
  const rest = Float64Array.from(vector)
  // Gram-Schmidt, twice: the second pass removes the rounding error of the first.
  for (const unit of [...basis, ...basis]) {
    const along = dot(unit, rest)
    for (let j = 0; j < rest.length; j++) rest[j]! -= along * unit[j]!
  }
  const length = Math.sqrt(dot(rest, rest))
  for (let j = 0; j < rest.length; j++) rest[j]! /= length
  basis.push(rest)
  return rest
}

const dot = (a: Float64Array, b: Float64Array): number =>
  a.reduce((sum, x, j) => sum + x * b[j]!, 0)
