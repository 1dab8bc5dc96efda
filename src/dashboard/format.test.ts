import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { count, counted } from './format.ts'

describe('count', () => {
  it('has commas where people put them', () => {
    const format = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 })
    fc.assert(
      fc.property(fc.maxSafeNat(), (value) => {
        expect(count(value)).toBe(format.format(value))
      }),
    )
    expect(['item', 'event'].map((what, i) => counted(1 + 1233 * i, what))).toEqual([
      '1 item',
      '1,234 events',
    ])
  })
})
