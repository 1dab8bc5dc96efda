// Ties are broken by a hash of (request, item): fair between items, the same on every machine.

import { mix } from '../core/random.ts'

/** The hash of item·φ + seed, as an unsigned 32-bit integer; the smaller one wins. */
export function tieHash(seed: number, item: number): number {
  return mix((Math.imul(item, 0x9e3779b9) + seed) | 0)
}
