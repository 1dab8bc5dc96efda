import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { parseNumber } from './columns.ts'

describe('parseNumber', () => {
  it('reads every finite number as Number does', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(parseNumber(String(value))).toBe(Number(String(value)))
      }),
    )
  })

  it('reads short decimals as Number does, to the last bit', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(999_999), fc.boolean(), (whole, part, negative) => {
        const text = `${negative ? '-' : ''}${whole}.${part}`
        expect(parseNumber(text)).toBe(Number(text))
      }),
    )
  })

  it.each(['0', '-0', '007', '+5', '5.', '.5', '1e3', '1E-3', '123456789012345678901234567890'])(
    'reads %s',
    (text) => expect(parseNumber(text)).toBe(Number(text)),
  )

  it.each(['', '-', '.', '-.', '1.2.3', ' 1', '1 ', '0x10', '1e', '1e999', 'NaN', 'Infinity', '٣'])(
    'answers NaN for "%s"',
    (text) => expect(parseNumber(text)).toBeNaN(),
  )
})
