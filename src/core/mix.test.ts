import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mix } from './mix.ts'

describe('mix', () => {
  it('is the finaliser of MurmurHash3, by known answers', () => {
    expect([0, 1, 0xffffffff].map(mix)).toEqual([0, 0x514e28b7, 0x81f16f39])
  })

  it('takes a word the same whether it is read as signed or not, and can be undone', () => {
    const undo = (hash: number): number => {
      let h = hash ^ (hash >>> 16)
      h = Math.imul(h, 0x7ed1b41d)
      h = Math.imul(h ^ (h >>> 13) ^ (h >>> 26), 0xa5cb9243)
      return (h ^ (h >>> 16)) >>> 0
    }
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (word) => {
        expect(mix(word | 0)).toBe(mix(word))
        expect(undo(mix(word))).toBe(word)
      }),
    )
  })
})
