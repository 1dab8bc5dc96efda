// The matrix product with optional transposes.

import type { KernelTheme } from './views.ts'

export const matrixProduct: KernelTheme<'multiply'> = ({ f32 }) => ({
  multiply(transposeA, transposeB, accumulate, m, n, k, aAddress, bAddress, outAddress) {
    const a = f32(aAddress, m * k)
    const b = f32(bAddress, k * n)
    const out = f32(outAddress, m * n)
    // How far apart neighbours lie, down a column and along a row of op(a) and op(b).
    const [downA, alongA] = transposeA ? [1, m] : [k, 1]
    const [downB, alongB] = transposeB ? [1, k] : [n, 1]
    for (let i = 0; i < m; i++) {
      for (let j = 0; j < n; j++) {
        let sum = accumulate ? out[i * n + j]! : 0
        for (let l = 0; l < k; l++) {
          sum += a[i * downA + l * alongA]! * b[l * downB + j * alongB]!
        }
        out[i * n + j] = sum
      }
    }
  },
})
