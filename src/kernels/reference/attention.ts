// Causal self-attention. Head h owns columns h·w … (h+1)·w − 1 of each of Q, K and V.

import { softmax } from './softmax.ts'
import type { KernelTheme } from './views.ts'

export const attention: KernelTheme<'attentionForward' | 'attentionBackward'> = ({ matrix }) => ({
  attentionForward(steps, batch, heads, width, qkvAddress, weightsAddress, outAddress) {
    if (width === 0) return // Without columns there is nothing to attend by.
    const qkv = matrix(qkvAddress, steps * batch, 3 * width)
    const weights = matrix(weightsAddress, batch * heads * steps, steps)
    const out = matrix(outAddress, steps * batch, width)
    const headWidth = width / heads
    const scale = 1 / Math.sqrt(headWidth)
    for (let b = 0; b < batch; b++) {
      for (let h = 0; h < heads; h++) {
        const column = h * headWidth
        const q = (i: number, c: number): number => qkv.get(i * batch + b, column + c)
        const k = (i: number, c: number): number => qkv.get(i * batch + b, width + column + c)
        const v = (i: number, c: number): number => qkv.get(i * batch + b, 2 * width + column + c)
        for (let i = 0; i < steps; i++) {
          const scores: number[] = []
          for (let j = 0; j <= i; j++) {
            let dot = 0
            for (let c = 0; c < headWidth; c++) dot += q(i, c) * k(j, c)
            scores.push(scale * dot)
          }
          const { shares: p } = softmax(scores)
          for (let j = 0; j < steps; j++) {
            weights.set((b * heads + h) * steps + i, j, j <= i ? p[j]! : 0)
          }
          for (let c = 0; c < headWidth; c++) {
            let sum = 0
            for (let j = 0; j <= i; j++) sum += p[j]! * v(j, c)
            out.set(i * batch + b, column + c, sum)
          }
        }
      }
    }
  },

  /**
   * Per sequence and head, with P the weights and S = scale·Q·Kᵀ: dP = dOut·Vᵀ,
   * dS_ij = P_ij·(dP_ij − Σ_l P_il·dP_il), dQ = scale·dS·K, dK = scale·dSᵀ·Q, dV = Pᵀ·dOut.
   */
  attentionBackward(
    steps,
    batch,
    heads,
    width,
    qkvAddress,
    weightsAddress,
    dOutAddress,
    _scratchAddress,
    dQkvAddress,
  ) {
    const qkv = matrix(qkvAddress, steps * batch, 3 * width)
    const weights = matrix(weightsAddress, batch * heads * steps, steps)
    const dOut = matrix(dOutAddress, steps * batch, width)
    const dQkv = matrix(dQkvAddress, steps * batch, 3 * width)
    const headWidth = width / heads
    const scale = 1 / Math.sqrt(headWidth)
    for (let b = 0; b < batch; b++) {
      for (let h = 0; h < heads; h++) {
        const qColumn = h * headWidth
        const kColumn = width + qColumn
        const vColumn = 2 * width + qColumn
        const p = (i: number, j: number): number => weights.get((b * heads + h) * steps + i, j)

        const dS: number[][] = []
        for (let i = 0; i < steps; i++) {
          const dP: number[] = []
          let expected = 0
          for (let j = 0; j <= i; j++) {
            let dot = 0
            for (let c = 0; c < headWidth; c++) {
              dot += dOut.get(i * batch + b, qColumn + c) * qkv.get(j * batch + b, vColumn + c)
            }
            dP.push(dot)
            expected += p(i, j) * dot
          }
          dS.push(dP.map((value, j) => p(i, j) * (value - expected)))
        }

        for (let i = 0; i < steps; i++) {
          for (let c = 0; c < headWidth; c++) {
            let dQ = 0
            for (let j = 0; j <= i; j++) dQ += dS[i]![j]! * qkv.get(j * batch + b, kColumn + c)
            dQkv.set(i * batch + b, qColumn + c, scale * dQ)
          }
        }
        for (let j = 0; j < steps; j++) {
          for (let c = 0; c < headWidth; c++) {
            let dK = 0
            let dV = 0
            for (let i = j; i < steps; i++) {
              dK += dS[i]![j]! * qkv.get(i * batch + b, qColumn + c)
              dV += p(i, j) * dOut.get(i * batch + b, qColumn + c)
            }
            dQkv.set(j * batch + b, kColumn + c, scale * dK)
            dQkv.set(j * batch + b, vColumn + c, dV)
          }
        }
      }
    }
  },
})
