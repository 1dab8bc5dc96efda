import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { addressOf, readRoute } from './route.ts'

describe('an address of the page', () => {
  it('round-trips', () => {
    const text = fc.string({ minLength: 1, unit: 'grapheme' })
    const params = fc.dictionary(text, text).map((each) => ({ ...each }))
    fc.assert(
      fc.property(fc.constantFrom('live', 'map', 'data'), params, (view, said) => {
        expect(readRoute(addressOf(view, said))).toEqual({ view, params: said })
      }),
    )
  })

  it('omits empty parameters and can have none', () => {
    expect(addressOf('map', { user: '', color: 'impressions' })).toBe('#/map?color=impressions')
    expect(addressOf('map')).toBe('#/map')
    expect(readRoute('')).toEqual({ view: '', params: {} })
    expect(readRoute('#map')).toEqual({ view: 'map', params: {} })
  })
})
