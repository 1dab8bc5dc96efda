// Kernels of training besides the layers: dropout, scores of pairs, losses and optimizer steps.

import { mix } from '../../core/random.ts'
import { dot } from './views.ts'
import type { ReferenceKernels } from './views.ts'

export const training = {
  /**
   * Uses a counter-based hash, which has no state, so that elements can be computed in any order.
   */
  dropoutMask({ rate, seed, mask }) {
    const start = mix(seed)
    for (let i = 0; i < mask.values.length; i++) {
      const hash = mix(start + Math.imul(i + 1, 0x9e3779b9))
      mask.values[i] = (hash >>> 8) * 2 ** -24 < rate ? 0 : 1 / (1 - rate)
    }
  },

  scorePairs({ count, rows, items, rowIndices, itemIndices, scores }) {
    for (let i = 0; i < count; i++) {
      scores.set(0, i, dot(rows.row(rowIndices[i]!), items.row(itemIndices[i]!)))
    }
  },

  scorePairsBackward(args) {
    const { count, width, rows, items, rowIndices, itemIndices, dScores, dRows, dItems } = args
    const dRowsTotal = Float64Array.from(dRows.values)
    const dItemsTotal = Float64Array.from(dItems.values)
    for (let i = 0; i < count; i++) {
      const [row, item] = [rowIndices[i]! * width, itemIndices[i]! * width]
      for (let c = 0; c < width; c++) {
        dRowsTotal[row + c]! += dScores.get(0, i) * items.values[item + c]!
        dItemsTotal[item + c]! += dScores.get(0, i) * rows.values[row + c]!
      }
    }
    dRows.values.set(dRowsTotal)
    dItems.values.set(dItemsTotal)
  },

  crossEntropyRows({ rows, targets, weights, logits, losses }) {
    for (let i = 0; i < rows; i++) {
      const { loss, gradient } = crossEntropy([...logits.row(i)], targets[i]!, weights.get(0, i))
      losses.set(0, i, loss)
      logits.row(i).set(gradient)
    }
  },

  bprMaxRows({ elu, rows, alpha, regularization, targets, weights, scores, losses }) {
    const { value, slope } = elu ? exponentialLinear(alpha) : linear
    for (let i = 0; i < rows; i++) {
      const row = scores.row(i)
      const { loss, gradient } = bprMaxLoss([...row].map(value), targets[i]!, regularization)
      losses.set(0, i, loss)
      row.set(gradient.map((g, j) => weights.get(0, i) * g * slope(row[j]!)))
    }
  },

  adam({ rate, beta1, beta2, epsilon, correction1, correction2, ...tensors }) {
    const { gradient, firstMoment, secondMoment, parameters } = tensors
    for (let i = 0; i < gradient.values.length; i++) {
      const g = gradient.values[i]!
      const m = beta1 * firstMoment.values[i]! + (1 - beta1) * g
      const v = beta2 * secondMoment.values[i]! + (1 - beta2) * g * g
      firstMoment.values[i] = m
      secondMoment.values[i] = v
      parameters.values[i]! -= (rate * (m / correction1)) / (Math.sqrt(v / correction2) + epsilon)
    }
  },

  adagrad({ rate, epsilon, momentum, gradient, accumulator, velocity, parameters }) {
    for (let i = 0; i < gradient.values.length; i++) {
      const g = gradient.values[i]!
      const s = accumulator.values[i]! + g * g
      const v = momentum * velocity.values[i]! - (rate * g) / Math.sqrt(s + epsilon)
      accumulator.values[i] = s
      velocity.values[i] = v
      parameters.values[i]! += v
    }
  },
} satisfies Partial<ReferenceKernels>

/**
 * p_i = e^v_i / Σ_j e^v_j, and −ln p_i as `surprise`. The maximum is subtracted first, so that no
 * exponential overflows and the sum is at least 1.
 */
export function softmax(values: readonly number[]) {
  const maximum = values.reduce((most, value) => Math.max(most, value), -Infinity)
  const exponentials = values.map((value) => Math.exp(value - maximum))
  const sum = exponentials.reduce((total, value) => total + value, 0)
  return {
    shares: exponentials.map((value) => value / sum),
    surprise: (i: number): number => maximum - values[i]! + Math.log(sum),
  }
}

interface RowLoss {
  readonly loss: number
  readonly gradient: readonly number[]
}

/** The loss −ln p_target of one row, and its weighted gradient weight·(p − onehot(target)). */
function crossEntropy(logits: readonly number[], target: number, weight: number): RowLoss {
  const { shares, surprise } = softmax(logits)
  return {
    loss: surprise(target),
    gradient: shares.map((share, j) => weight * (share - (j === target ? 1 : 0))),
  }
}

const floor = 1e-24 // keeps the logarithm finite if the target's probability is 0

/** The activation of the scores in BPR-max, and its slope. */
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
 * The loss of one row and its gradient by o. With P = Σ_j s_j σ_j and Q = Σ_j s_j o_j², where
 * σ_j = σ(o_t − o_j) and s = softmax(o) over the negatives:
 * ∂P/∂o_j = s_j(σ_j − P) − s_j σ_j(1 − σ_j) = s_j(σ_j² − P), ∂P/∂o_t = Σ_j s_j σ_j(1 − σ_j),
 * ∂Q/∂o_j = s_j(o_j² − Q + 2o_j).
 */
function bprMaxLoss(o: readonly number[], target: number, regularization: number): RowLoss {
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
    return s * ((wins - win ** 2) / (wins + floor) + regularization * penalty)
  })
  return { loss: -Math.log(wins + floor) + regularization * squares, gradient }
}
