import { describe, expect, it } from 'vitest'
import fc from 'fast-check'

import { movesBetween } from './moves.ts'

describe('the moves from one slate to another', () => {
  it('report new, unchanged, higher and lower items with their distance', () => {
    expect(movesBetween(['a', 'b', 'c', 'd'], ['a', 'd', 'e', 'b'])).toEqual([
      { kind: 'stays' },
      { kind: 'up', by: 2 },
      { kind: 'new' },
      { kind: 'down', by: 2 },
    ])
  })

  it('determine the earlier position of each item', () => {
    const slates = fc.uniqueArray(fc.integer({ min: 0, max: 20 }).map(String), { maxLength: 10 })
    fc.assert(
      fc.property(slates, slates, (before, after) => {
        for (const [place, move] of movesBetween(before, after).entries()) {
          const by = 'by' in move ? (move.kind === 'up' ? move.by : -move.by) : 0
          const was = move.kind === 'new' ? undefined : before[place + by]
          expect(was).toBe(move.kind === 'new' ? undefined : after[place])
          if (move.kind === 'new') expect(before).not.toContain(after[place])
        }
      }),
    )
  })
})
