import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  finiteNumber,
  nonNegativeNumber,
  oneOf,
  optional,
  positiveNumber,
  requireOptions,
  share,
  wholeNumber,
  wholeNumberOrInfinity,
} from './require-options.ts'
import type { Expectation } from './require-options.ts'

const strangers = [null, undefined, '1', 'x', true, [1], {}, Number.NaN, -Infinity]

describe.each<[string, Expectation, readonly unknown[], readonly unknown[]]>([
  ['a whole number', wholeNumber(), [1, 7, 2 ** 31 - 1], [0, -1, 1.5, 2 ** 31, Infinity]],
  ['one of a range', wholeNumber(0, 3), [0, 3], [-1, 4]],
  ['one without end', wholeNumberOrInfinity(0), [0, 2 ** 40, Infinity], [-1, 0.5, 2 ** 60]],
  ['a finite number', finiteNumber, [-1e300, 0, 0.5], [Infinity]],
  ['a positive number', positiveNumber, [5e-324, 1, 1e300], [0, -0, -1, Infinity]],
  ['a number from 0', nonNegativeNumber, [0, 0.1, 1e300], [-1e-9, Infinity]],
  ['a share', share, [0, 0.5, 1 - 2 ** -53], [1, 1.5, -0.1, Infinity]],
  ['a choice', oneOf('left', 'right'), ['left', 'right'], ['', 'Left', 'toString']],
])('%s', (_, expectation, good, bad) => {
  it('is distinguished from other values', () => {
    for (const value of good) expect(expectation.holds(value), String(value)).toBe(true)
    for (const value of [...bad, ...strangers]) {
      expect(expectation.holds(value), String(value)).toBe(false)
    }
  })

  it('may be absent where it is optional, and nothing else', () => {
    expect(optional(expectation).holds(undefined)).toBe(true)
    for (const value of [...bad, null]) expect(optional(expectation).holds(value)).toBe(false)
  })
})

describe('a check of options', () => {
  it('names whose option it was, what was expected and what came', () => {
    const check = (window: unknown) => requireOptions('tcn', { window }, { window: wholeNumber(2) })
    expect(() => check('x')).toThrow(
      expect.objectContaining({
        code: 'invalid-argument',
        message: 'tcn: window must be a whole number from 2 to 2147483647, got "x"',
      }),
    )
    expect(() => check(null)).toThrow('got null')
    expect(() => check(undefined)).toThrow('got undefined')
  })

  it('takes exactly what holds, and looks at no other option', () => {
    fc.assert(
      fc.property(fc.double(), fc.anything(), (rate, other) => {
        const check = () => requireOptions('x', { rate, other }, { rate: share })
        if (rate >= 0 && rate < 1) check()
        else expect(check).toThrow('x: rate must be a number from 0 to below 1')
      }),
    )
  })
})
