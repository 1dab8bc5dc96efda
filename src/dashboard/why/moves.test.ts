import { describe, expect, it } from 'vitest'
import fc from 'fast-check'

import { movesBetween } from './moves.ts'

describe('the moves from one slate to another', () => {
  it('report new, unchanged, higher and lower items with their distance', () => {
    expect(movesBetween(['a', 'b', 'c', 'd'], ['a', 'd', 'e', 'b'])).toEqual([0, 2, null, -2])
  })

  it('determine the earlier position of each item', () => {
    const slates = fc.uniqueArray(fc.integer({ min: 0, max: 20 }).map(String), { maxLength: 10 })
    fc.assert(
      fc.property(slates, slates, (before, after) => {
        for (const [place, move] of movesBetween(before, after).entries()) {
          if (move === null) expect(before).not.toContain(after[place])
          else expect(before[place + move]).toBe(after[place])
        }
      }),
    )
  })
})
