// NeuralUCB in the small: gradient features of a small nonlinear head, not of the whole model.
//   score = f(x) + α·√(gᵀZ⁻¹g), x = μ / mean‖μ‖, g = ∂f/∂weights, Z = diag(I + Σ g∘g over visits)
// f is a one-hidden-layer head, trained from the same start at each request on this user's visits
// and rewards. Z keeps its diagonal only, as is usual for NeuralUCB: one visit spreads over many
// weights, so the bonus falls slower than LinUCB's. `diversity` is the root; α is `bonusWeight`.
// Cost: about units·d·(steps·visits + items) multiply-adds, outside the SIMD kernels: for given
// candidates or a few thousand items. Use it where a user's rewards bend in x, as LinUCB's cannot.

import type { Engine } from '../kernels/index.ts'
import { bestPicks } from './best-picks.ts'
import { addOffsets } from './candidates.ts'
import { lastVisits } from './design-matrix.ts'
import type { DesignMatrixOptions } from './design-matrix.ts'
import { createEmbeddingScale } from './embedding-scale.ts'
import type { Decision, ExplorationPolicy } from './policy.ts'
import {
  requireCount,
  requireHistoryCap,
  requirePositiveInteger,
  requireWithin,
} from './requirements.ts'
import { createRewardHead } from './reward-head.ts'
import type { RewardHead } from './reward-head.ts'
import { createSlatePolicy } from './slate-policy.ts'
import type { SlateRequest } from './slate-policy.ts'

export interface NeuralUcbOptions extends DesignMatrixOptions {
  /** α. Defaults to 0.1. */
  readonly bonusWeight?: number
  /** Pairs of hidden units. Defaults to 8. */
  readonly unitPairs?: number
  /** Steps of gradient descent over the whole history. Defaults to 50. */
  readonly steps?: number
  /** Seed of the head's start. Defaults to 0. */
  readonly headSeed?: number
}

export function createNeuralUcbPolicy(
  engine: Engine,
  options: NeuralUcbOptions = {},
): ExplorationPolicy {
  const { bonusWeight = 0.1, unitPairs = 8, steps = 50, headSeed = 0, historyCap } = options
  requireWithin('bonusWeight', bonusWeight, 0)
  requirePositiveInteger('unitPairs', unitPairs)
  requireCount('steps', steps)
  requireHistoryCap(historyCap)
  const scaleOf = createEmbeddingScale(engine)

  const pick = (request: SlateRequest) => {
    const { decision, candidates } = request
    const { embeddings } = candidates
    const scale = scaleOf(decision)
    const head = createRewardHead(embeddings.columns, 2 * unitPairs, headSeed)
    const history = scaledHistory(decision, scale, historyCap)
    head.train(history, lastVisits(decision.rewards, historyCap), { steps, penalty: 1 })
    const bonusOf = createBonus(head, history)

    const scores = new Float64Array(embeddings.rows)
    const bonuses = new Float64Array(embeddings.rows)
    const gradient = new Float64Array(head.size)
    const { values, columns } = embeddings
    const x = new Float64Array(columns)
    for (const row of candidates.rows) {
      for (let j = 0; j < columns; j++) x[j] = scale * values[row * columns + j]!
      const reward = head.evaluate(x, 0, gradient)
      const bonus = bonusOf(gradient)
      bonuses[row] = bonus
      scores[row] = reward + bonusWeight * bonus
    }
    addOffsets(decision, candidates, scores)
    return bestPicks(request, scores, (row) => ({ diversity: bonuses[row]! }))
  }
  return createSlatePolicy(engine, 'neural-ucb', pick, { takesBoosts: true })
}

/** g ↦ √(gᵀZ⁻¹g), with Z of the trained head. */
function createBonus(head: RewardHead, history: Float64Array): (g: Float64Array) => number {
  const seen = new Float64Array(head.size).fill(1) // the diagonal of Z
  const gradient = new Float64Array(head.size)
  for (let at = 0; at < history.length; at += head.dimension) {
    head.evaluate(history, at, gradient)
    for (let i = 0; i < seen.length; i++) seen[i]! += gradient[i]! * gradient[i]!
  }
  return (g) => {
    let form = 0
    for (let i = 0; i < seen.length; i++) form += (g[i]! * g[i]!) / seen[i]!
    return Math.sqrt(form)
  }
}

/** x of each visit, one after another. */
function scaledHistory(
  { items: { values, columns }, visited }: Decision,
  scale: number,
  historyCap?: number,
): Float64Array {
  const visits = lastVisits(visited, historyCap)
  const history = new Float64Array(visits.length * columns)
  for (const [i, item] of visits.entries()) {
    for (let j = 0; j < columns; j++) history[i * columns + j] = scale * values[item * columns + j]!
  }
  return history
}
