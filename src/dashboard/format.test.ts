import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { count, counted, timeOfDay, timeOrDate } from './format.ts'

describe('count', () => {
  it('has commas between thousands', () => {
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

describe('timeOrDate', () => {
  it('shows the time for today and the date otherwise', () => {
    const noon = new Date(2026, 4, 17, 12).getTime()
    expect(timeOrDate(noon - 3_600_000, noon)).toBe(timeOfDay(noon - 3_600_000))
    expect(timeOrDate(noon - 86_400_000, noon)).toBe('16 May 2026')
  })
})
