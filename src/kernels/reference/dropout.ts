// Dropout masks from a counter-based hash: no state, so the order of the elements does not matter.

import type { KernelTheme } from './views.ts'

/** The finaliser of MurmurHash3: every bit of the result depends on every bit of x. */
function mix(x: number): number {
  let h = x
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

export const dropout: KernelTheme<'dropoutMask'> = ({ f32 }) => ({
  dropoutMask(rows, columns, rate, seed, maskAddress) {
    const mask = f32(maskAddress, rows * columns)
    const start = mix(seed)
    for (let i = 0; i < mask.length; i++) {
      const hash = mix(start + Math.imul(i + 1, 0x9e3779b9))
      mask[i] = (hash >>> 8) * 2 ** -24 < rate ? 0 : 1 / (1 - rate)
    }
  },
})
