// Sizes at which the fast kernels start another block; random small sizes never reach them.

import type { KernelName } from '../src/kernels/contract.ts'
import type { Sizes } from '../src/kernels/signature.ts'

const matrixOf = (m: number, n: number, k: number): readonly Sizes[] =>
  [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => ({
    transposeA: bits & 1,
    transposeB: (bits >> 1) & 1,
    accumulate: bits >> 2,
    m,
    n,
    k,
  }))
const gruOf = (hidden: number, batch: number): readonly Sizes[] =>
  [0, 1].map((resetBefore) => ({ resetBefore, steps: 3, batch, hidden }))
const attentionOf = (steps: number): Sizes => ({ steps, batch: 1, heads: 2, width: 6 })
/**
 * Sizes on both sides of the matrix product's blocks (96 rows, depth 256, 1024 columns), of attention's
 * blocks of 48 steps, and of the packed weights of a GRU: 85 hidden units in the backward pass, 256 in the forward pass, and 300, which exceed
 * the packing memory.
 */
export const blocks: Partial<Record<KernelName, readonly Sizes[]>> = {
  multiply: [
    ...[96, 97, 193].flatMap((m) => matrixOf(m, 9, 3)),
    ...[256, 257, 513].flatMap((k) => matrixOf(7, 9, k)),
    ...[1024, 1025, 2049].flatMap((n) => matrixOf(2, n, 3)),
    ...matrixOf(97, 1025, 257).slice(0, 1),
  ],
  gruForward: [...gruOf(86, 7), ...gruOf(257, 1), ...gruOf(300, 2)],
  gruBackward: [...gruOf(85, 7), ...gruOf(86, 97), ...gruOf(300, 2)],
  attentionForward: [48, 97, 257].map(attentionOf),
  attentionBackward: [48, 97, 257].map(attentionOf),
  quadraticForms: [{ rows: 3, columns: 257 }],
}
