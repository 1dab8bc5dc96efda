// Dropout masks from a counter-based hash: no state, so the order of the elements does not matter.

import { mix } from '../../core/random.ts'
import type { KernelTheme } from './views.ts'

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
