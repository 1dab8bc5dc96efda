import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { parseNumber, parseAmericanTime } from './parse.ts'

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

const second = fc
  .integer({ min: 0, max: Date.UTC(2100, 0) / 1000 })
  .map((value) => new Date(value * 1000))

function americanText(date: Date): string {
  const hour = date.getUTCHours()
  const [minute, seconds] = [date.getUTCMinutes(), date.getUTCSeconds()].map((n) =>
    String(n).padStart(2, '0'),
  )
  const day = `${date.getUTCMonth() + 1}/${date.getUTCDate()}/${date.getUTCFullYear()}`
  return `${day} ${hour % 12 || 12}:${minute}:${seconds} ${hour < 12 ? 'AM' : 'PM'}`
}

describe('American times', () => {
  it('are parsed to their time', () => {
    fc.assert(
      fc.property(second, (date) => {
        expect(parseAmericanTime(americanText(date))).toBe(date.getTime())
      }),
    )
  })

  it.each([
    '',
    '11/31/2019 1:00:00 AM',
    '11/1/2019 13:00:00 PM',
    '11/1/2019 0:00:00 AM',
    '13/1/2019 1:00:00 AM',
    '2/29/2019 1:00:00 AM',
    '1/0/2019 1:00:00 AM',
    '0/1/2019 1:00:00 AM',
    '1/1/2019 1:60:00 AM',
    '1/1/2019 1:00:60 AM',
    'noon',
  ])('refuse %j', (text) => expect(parseAmericanTime(text)).toBeNaN())
})
