// Layer normalization and causal self-attention, forward and backward.

import { softmax } from './training.ts'
import type { ReferenceKernels } from './views.ts'

export const layers = {
  /** With the biased variance, as in PyTorch. */
  layerNormForward({ rows, columns, epsilon, x, gain, bias, out, statistics }) {
    if (columns === 0) return // an empty row has no mean
    for (let i = 0; i < rows; i++) {
      let mean = 0
      for (let j = 0; j < columns; j++) mean += x.get(i, j) / columns
      let variance = 0
      for (let j = 0; j < columns; j++) variance += (x.get(i, j) - mean) ** 2 / columns
      const inverseDeviation = 1 / Math.sqrt(variance + epsilon)
      for (let j = 0; j < columns; j++) {
        out.set(i, j, gain.get(0, j) * (x.get(i, j) - mean) * inverseDeviation + bias.get(0, j))
      }
      statistics.set(i, 0, mean)
      statistics.set(i, 1, inverseDeviation)
    }
  },

  /**
   * With x̂ = (x − mean)/deviation and g = gain∘dOut:
   * dx = (g − mean(g) − x̂·mean(g∘x̂))/deviation; dGain = Σ_rows dOut∘x̂; dBias = Σ_rows dOut.
   */
  layerNormBackward({ rows, columns, x, gain, statistics, dOut, dX, dGain, dBias }) {
    const normalized = (i: number, j: number): number =>
      (x.get(i, j) - statistics.get(i, 0)) * statistics.get(i, 1)
    for (let i = 0; i < rows; i++) {
      let [meanG, meanGX] = [0, 0]
      for (let j = 0; j < columns; j++) {
        const g = gain.get(0, j) * dOut.get(i, j)
        meanG += g / columns
        meanGX += (g * normalized(i, j)) / columns
      }
      for (let j = 0; j < columns; j++) {
        const g = gain.get(0, j) * dOut.get(i, j)
        dX.add(i, j, (g - meanG - normalized(i, j) * meanGX) * statistics.get(i, 1))
      }
    }
    for (let j = 0; j < columns; j++) {
      let [gainSum, biasSum] = [dGain.get(0, j), dBias.get(0, j)]
      for (let i = 0; i < rows; i++) {
        gainSum += dOut.get(i, j) * normalized(i, j)
        biasSum += dOut.get(i, j)
      }
      dGain.set(0, j, gainSum)
      dBias.set(0, j, biasSum)
    }
  },

  attentionForward({ steps, batch, heads, width, qkv, weights, out }) {
    if (width === 0) return // there is nothing to attend to
    const headWidth = width / heads
    const scale = 1 / Math.sqrt(headWidth)
    forEachHead(steps, batch, heads, width, ({ row, step, q, k, v }) => {
      for (let i = 0; i < steps; i++) {
        const scores: number[] = []
        for (let j = 0; j <= i; j++) {
          let dot = 0
          for (let c = 0; c < headWidth; c++) dot += qkv.get(row(i), q + c) * qkv.get(row(j), k + c)
          scores.push(scale * dot)
        }
        const { shares: p } = softmax(scores)
        for (let j = 0; j < steps; j++) weights.set(step(i), j, j <= i ? p[j]! : 0)
        for (let c = 0; c < headWidth; c++) {
          let sum = 0
          for (let j = 0; j <= i; j++) sum += p[j]! * qkv.get(row(j), v + c)
          out.set(row(i), q + c, sum)
        }
      }
    })
  },

  /**
   * Per sequence and head, with P the weights and S = scale·Q·Kᵀ: dP = dOut·Vᵀ,
   * dS_ij = P_ij·(dP_ij − Σ_l P_il·dP_il), dQ = scale·dS·K, dK = scale·dSᵀ·Q, dV = Pᵀ·dOut.
   */
  attentionBackward({ steps, batch, heads, width, qkv, weights, dOut, dQkv }) {
    if (width === 0) return
    const headWidth = width / heads
    const scale = 1 / Math.sqrt(headWidth)
    forEachHead(steps, batch, heads, width, ({ row, step, q, k, v }) => {
      const p = (i: number, j: number): number => weights.get(step(i), j)
      const dS: number[][] = []
      for (let i = 0; i < steps; i++) {
        const dP: number[] = []
        let expected = 0
        for (let j = 0; j <= i; j++) {
          let dot = 0
          for (let c = 0; c < headWidth; c++) {
            dot += dOut.get(row(i), q + c) * qkv.get(row(j), v + c)
          }
          dP.push(dot)
          expected += p(i, j) * dot
        }
        dS.push(dP.map((value, j) => p(i, j) * (value - expected)))
      }
      for (let i = 0; i < steps; i++) {
        for (let c = 0; c < headWidth; c++) {
          let [dQ, dK, dV] = [0, 0, 0]
          for (let j = 0; j <= i; j++) dQ += dS[i]![j]! * qkv.get(row(j), k + c)
          for (let later = i; later < steps; later++) {
            dK += dS[later]![i]! * qkv.get(row(later), q + c)
            dV += p(later, i) * dOut.get(row(later), q + c)
          }
          dQkv.set(row(i), q + c, scale * dQ)
          dQkv.set(row(i), k + c, scale * dK)
          dQkv.set(row(i), v + c, dV)
        }
      }
      for (let i = 0; i < steps; i++) {
        for (let j = 0; j <= i; j++) weights.set(step(i), j, scale * dS[i]![j]!)
      }
    })
  },
} satisfies Partial<ReferenceKernels>

/** The rows and columns of one head of one sequence in the matrices of attention. */
interface Head {
  /** The row of a step among queries, keys, values and results. */
  readonly row: (step: number) => number
  /** The row of a step among the softmax weights. */
  readonly step: (step: number) => number
  /** The first columns of the head's queries (and results), keys and values. */
  readonly q: number
  readonly k: number
  readonly v: number
}

/** Head h owns columns h·w … (h+1)·w − 1 of each of Q, K and V. */
function forEachHead(
  steps: number,
  batch: number,
  heads: number,
  width: number,
  compute: (head: Head) => void,
): void {
  for (let b = 0; b < batch; b++) {
    for (let h = 0; h < heads; h++) {
      const q = (h * width) / heads
      compute({
        row: (step) => step * batch + b,
        step: (step) => (b * heads + h) * steps + step,
        q,
        k: width + q,
        v: 2 * width + q,
      })
    }
  }
}
