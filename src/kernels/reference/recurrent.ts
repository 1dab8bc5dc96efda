// The GRU, forward and backward, with the reset gate after or before the recurrent product. The column
// blocks are r, z, n in inputs, weights and biases, and r, z, n, q in gates.

import { algebra } from './algebra.ts'
import type { KernelViews, ReferenceKernels } from './views.ts'

/** 1/(1 + e⁻ˣ) without overflow of the exponential. */
function sigmoid(x: number): number {
  if (x >= 0) return 1 / (1 + Math.exp(-x))
  const e = Math.exp(x)
  return e / (1 + e)
}

export const recurrent = {
  gruForward({ resetBefore, steps, batch, hidden, inputs, weights, bias, states, gates }) {
    const [R, Z, N, Q] = [0, hidden, 2 * hidden, 3 * hidden]

    for (let row = 0; row < steps * batch; row++) {
      const x = (column: number): number => inputs.get(row, column)
      const h = (i: number): number => states.get(row, i)
      const r = (i: number): number => gates.get(row, R + i)
      const z = (i: number): number => gates.get(row, Z + i)
      const n = (i: number): number => gates.get(row, N + i)
      const q = (i: number): number => gates.get(row, Q + i)
      /** One row of U·operand + b. */
      const product = (weightRow: number, operand: (j: number) => number): number => {
        let sum = bias.get(0, weightRow)
        for (let j = 0; j < hidden; j++) sum += weights.get(weightRow, j) * operand(j)
        return sum
      }

      for (let i = 0; i < hidden; i++) {
        gates.set(row, R + i, sigmoid(x(R + i) + product(R + i, h)))
        gates.set(row, Z + i, sigmoid(x(Z + i) + product(Z + i, h)))
      }
      for (let i = 0; i < hidden; i++) {
        gates.set(row, Q + i, resetBefore ? r(i) * h(i) : product(N + i, h))
      }
      for (let i = 0; i < hidden; i++) {
        const added = resetBefore ? product(N + i, q) : r(i) * q(i)
        gates.set(row, N + i, Math.tanh(x(N + i) + added))
      }
      for (let i = 0; i < hidden; i++) {
        const next = resetBefore ? (1 - z(i)) * h(i) + z(i) * n(i) : (1 - z(i)) * n(i) + z(i) * h(i)
        states.set(row + batch, i, next)
      }
    }
  },

  gruBackward(args) {
    backThroughTime(args)
    accumulateWeights(args)
  },
} satisfies Partial<ReferenceKernels>

/**
 * Computes the gradients of inputs, recurrent products and states, from the last step to the first.
 */
function backThroughTime(args: KernelViews<'gruBackward'>): void {
  const { resetBefore, steps, batch, hidden, states, gates } = args
  const { dStates, dInputs, dRecurrent } = args
  const [R, Z, N, Q] = [0, hidden, 2 * hidden, 3 * hidden]
  // Rows are time-major, so descending rows go from the last step to the first.
  for (let row = steps * batch - 1; row >= 0; row--) {
    const h = (i: number): number => states.get(row, i)
    const r = (i: number): number => gates.get(row, R + i)
    const z = (i: number): number => gates.get(row, Z + i)
    const n = (i: number): number => gates.get(row, N + i)
    const q = (i: number): number => gates.get(row, Q + i)
    const dNext = (i: number): number => dStates.get(row + batch, i)
    const backward = (from: number, to: number, j: number) => productBack(args, row, from, to, j)

    for (let i = 0; i < hidden; i++) {
      const slopeZ = z(i) * (1 - z(i))
      const slopeN = 1 - n(i) ** 2
      const dZ = dNext(i) * (resetBefore ? n(i) - h(i) : h(i) - n(i)) * slopeZ
      const dN = dNext(i) * (resetBefore ? z(i) : 1 - z(i)) * slopeN
      dInputs.set(row, Z + i, dZ)
      dInputs.set(row, N + i, dN)
      dRecurrent.set(row, Z + i, dZ)
      dRecurrent.set(row, N + i, resetBefore ? dN : dN * r(i))
    }
    for (let i = 0; i < hidden; i++) {
      const slopeR = r(i) * (1 - r(i))
      const dR = resetBefore
        ? backward(N, N + hidden, i) * h(i) * slopeR
        : dInputs.get(row, N + i) * q(i) * slopeR
      dInputs.set(row, R + i, dR)
      dRecurrent.set(row, R + i, dR)
    }
    for (let i = 0; i < hidden; i++) {
      const throughState = dNext(i) * (resetBefore ? 1 - z(i) : z(i))
      const throughGates = backward(R, N, i)
      const throughCandidate = backward(N, N + hidden, i) * (resetBefore ? r(i) : 1)
      dStates.add(row, i, throughState + throughGates + throughCandidate)
    }
  }
}

/** Returns the gradient of element j of the operand through the weight rows [from, to). */
function productBack(
  { weights, dRecurrent }: KernelViews<'gruBackward'>,
  row: number,
  from: number,
  to: number,
  j: number,
): number {
  let sum = 0
  for (let i = from; i < to; i++) sum += weights.get(i, j) * dRecurrent.get(row, i)
  return sum
}

/** Accumulates dWeights and dBias from the gradients of the recurrent products. */
function accumulateWeights(args: KernelViews<'gruBackward'>): void {
  const { resetBefore, steps, batch, hidden, states, gates, dRecurrent, dWeights, dBias } = args
  const [N, Q] = [2 * hidden, 3 * hidden]
  algebra.sumRows({ rows: steps * batch, columns: 3 * hidden, x: dRecurrent, out: dBias })
  for (let i = 0; i < 3 * hidden; i++) {
    for (let j = 0; j < hidden; j++) {
      let sum = 0
      for (let row = 0; row < steps * batch; row++) {
        const operand = resetBefore && i >= N ? gates.get(row, Q + j) : states.get(row, j)
        sum += dRecurrent.get(row, i) * operand
      }
      dWeights.add(i, j, sum)
    }
  }
}
