// BPR-max: each row's target against a softmax of its negatives.

import { softmax } from './softmax.ts'
import type { KernelTheme } from './views.ts'

const floor = 1e-24 // keeps the logarithm of a hopeless target finite

/** What the loss reads in place of a score, and its slope there. */
interface Activation {
  readonly value: (score: number) => number
  readonly slope: (score: number) => number
}

const linear: Activation = { value: (score) => score, slope: () => 1 }

const exponentialLinear = (alpha: number): Activation => ({
  value: (score) => (score > 0 ? score : alpha * Math.expm1(score)),
  slope: (score) => (score > 0 ? 1 : alpha * Math.exp(score)),
})

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x))

/**
 * One row's loss and its gradient by o. With P = Σ_j s_j σ_j and Q = Σ_j s_j o_j², where
 * σ_j = σ(o_t − o_j) and s = softmax(o) over the negatives:
 * ∂P/∂o_j = s_j(σ_j − P) − s_j σ_j(1 − σ_j) = s_j(σ_j² − P), ∂P/∂o_t = Σ_j s_j σ_j(1 − σ_j),
 * ∂Q/∂o_j = s_j(o_j² − Q + 2o_j).
 */
function bprMaxLoss(
  o: readonly number[],
  target: number,
  regularisation: number,
): { readonly loss: number; readonly gradient: readonly number[] } {
  const negatives = o.filter((_, j) => j !== target)
  if (negatives.length === 0) return { loss: 0, gradient: [0] }
  const { shares } = softmax(negatives)
  let [wins, squares, rise] = [0, 0, 0] // P, Q and ∂P/∂o_t
  for (const [j, negative] of negatives.entries()) {
    const s = shares[j]!
    const win = sigmoid(o[target]! - negative)
    wins += s * win
    squares += s * negative ** 2
    rise += s * win * (1 - win)
  }
  const gradient = o.map((value, j) => {
    if (j === target) return -rise / (wins + floor)
    const s = shares[j < target ? j : j - 1]!
    const win = sigmoid(o[target]! - value)
    const penalty = value ** 2 - squares + 2 * value
    return s * ((wins - win ** 2) / (wins + floor) + regularisation * penalty)
  })
  return { loss: -Math.log(wins + floor) + regularisation * squares, gradient }
}

export const bprMax: KernelTheme<'bprMaxRows'> = ({ f32, i32 }) => ({
  bprMaxRows(
    elu,
    rows,
    columns,
    alpha,
    regularisation,
    targetsAddress,
    weightsAddress,
    scoresAddress,
    lossesAddress,
  ) {
    const targets = i32(targetsAddress, rows)
    const weights = f32(weightsAddress, rows)
    const scores = f32(scoresAddress, rows * columns)
    const losses = f32(lossesAddress, rows)
    const { value, slope } = elu ? exponentialLinear(alpha) : linear
    for (let i = 0; i < rows; i++) {
      const row = scores.subarray(i * columns, (i + 1) * columns)
      const { loss, gradient } = bprMaxLoss([...row].map(value), targets[i]!, regularisation)
      losses[i] = loss
      row.set(gradient.map((g, j) => weights[i]! * g * slope(row[j]!)))
    }
  },
})
