// The matrix product with optional transposes.

import type { KernelTheme } from './views.ts'

export const matrixProduct: KernelTheme<'multiply'> = ({ matrix }) => ({
  multiply(transposeA, transposeB, accumulate, m, n, k, aAddress, bAddress, outAddress) {
    const a = transposeA ? matrix(aAddress, k, m) : matrix(aAddress, m, k)
    const b = transposeB ? matrix(bAddress, n, k) : matrix(bAddress, k, n)
    const out = matrix(outAddress, m, n)
    for (let i = 0; i < m; i++) {
      for (let j = 0; j < n; j++) {
        let sum = accumulate ? out.get(i, j) : 0
        for (let l = 0; l < k; l++) {
          const left = transposeA ? a.get(l, i) : a.get(i, l)
          const right = transposeB ? b.get(j, l) : b.get(l, j)
          sum += left * right
        }
        out.set(i, j, sum)
      }
    }
  },
})
