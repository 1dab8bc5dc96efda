// Ties are broken by a hash of (request, item): fair between items, the same on every machine.

/** Murmur3's finaliser of item·φ + seed, as an unsigned 32-bit integer; the smaller one wins. */
export function tieHash(seed: number, item: number): number {
  let x = (Math.imul(item, 0x9e3779b9) + seed) | 0
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return (x ^ (x >>> 16)) >>> 0
}
