// Greedy DPP: the slate that greedily maximises det of the kernel L_ij = q_i·q_j·μ_iᵀμ_j with
// quality q = exp(w·μᵀθ), w = `relevanceWeight`. It looks at the slate only, not at the history.
//   score = ln(q_i·r_i) = w·μ_iᵀθ + ln r_i, r_i = distance of μ_i to the span of the picks so far
// q_i²·r_i² is what the incremental Cholesky factorisation of L leaves on the diagonal. `diversity`
// is r; it has a floor, below which (at latest after d picks) relevance decides.
// Cost: one dot-product pass and a logarithm an item, for each pick. Use it where a slate must
// not repeat itself and nothing is to be learned.

import { portableLogarithm } from '../core/random.ts'
import { nonNegativeNumber } from '../core/settings.ts'
import { bestRows } from './best-rows.ts'
import { createSlatePolicy, definePolicy } from './slate-policy.ts'
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
  },
  (engine, { relevanceWeight }) =>
    createSlatePolicy(engine, 'greedy-dpp', (request) => pickDiverse(request, relevanceWeight)),
)

function pickDiverse(request: SlateRequest, relevanceWeight: number): RowPick[] {
  const { candidates, relevance, count, seed, engine, temporary } = request
  const { embeddings } = candidates
  const forms = squaredNorms(request) // r² of every row
  const floor = FLOOR * (forms.values.reduce((sum, form) => sum + form, 0) / forms.columns || 1)
  const direction = temporary.vector('direction', embeddings.columns)
  const span = createSpan(embeddings.columns)
  const scores = new Float64Array(embeddings.rows)
  const picks: RowPick[] = []
  let rows = candidates.rows
  while (picks.length < count) {
    const distances = forms.values
    for (const row of rows) {
      const square = Math.max(distances[row]!, floor)
      scores[row] = relevanceWeight * relevance[row]! + portableLogarithm(square) / 2
    }
    const row = bestRows({ rows, itemOf: candidates.itemOf }, scores, 1, seed)[0]!
    picks.push({ row, score: scores[row]!, diversity: Math.sqrt(distances[row]!) })
    rows = rows.filter((other) => other !== row)
    if (distances[row]! <= floor) continue
    direction.values.set(span.add(embeddings.values, row * embeddings.columns))
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

// The span of some vectors, by an orthonormal basis that grows.

interface Span {
  /** Adds a vector that is not in the span; returns the basis vector that it brought. */
  add(vectors: Float32Array, offset: number): Float64Array
}

function createSpan(dimension: number): Span {
  const basis: Float64Array[] = []
  return {
    add(vectors, offset) {
      const rest = Float64Array.from(vectors.subarray(offset, offset + dimension))
      // Gram and Schmidt, twice: the second round removes what rounding left in the first.
      for (const unit of [...basis, ...basis]) {
        const along = dot(unit, rest)
        for (let j = 0; j < dimension; j++) rest[j]! -= along * unit[j]!
      }
      const length = Math.sqrt(dot(rest, rest))
      for (let j = 0; j < dimension; j++) rest[j]! /= length
      basis.push(rest)
      return rest
    },
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!
  return sum
}
