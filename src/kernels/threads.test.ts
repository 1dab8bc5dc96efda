import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { cutRows } from './threads.ts'

describe('cutting rows', () => {
  it('covers every row once, in order, with at most one range a thread', () => {
    fc.assert(
      fc.property(fc.nat(5000), fc.integer({ min: 1, max: 9 }), (rows, parts) => {
        const cuts = cutRows(rows, parts)
        expect(cuts[0]).toBe(0)
        expect(cuts.at(-1)).toBe(rows)
        expect(cuts.length - 1).toBeLessThanOrEqual(parts)
        for (let i = 1; i < cuts.length; i++) expect(cuts[i]).toBeGreaterThanOrEqual(cuts[i - 1]!)
      }),
    )
  })
})
