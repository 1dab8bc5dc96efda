// The hash behind seeds, dropout masks and ties: the same 32 bits on every platform.

/** MurmurHash3's finaliser, unsigned: every input bit flips every output bit about half the time. */
export function mix(word: number): number {
  let h = word
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
