import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeValue } from './describe-value.ts'
import {
  choice,
  describeAllowed,
  either,
  finiteNumber,
  flag,
  nonNegativeInteger,
  nonNegativeNumber,
  numberWithin,
  positiveInteger,
  positiveNumber,
  readSettings,
  requireSettings,
  share,
  shareBelowOne,
} from './settings.ts'
import type { SettingSchema } from './settings.ts'

const strangers: readonly unknown[] = [
  null,
  '1',
  'x',
  [1],
  {},
  { toString: '' },
  Number.NaN,
  -Infinity,
]
const about = 'what it is'

describe.each<[string, SettingSchema, readonly unknown[], readonly unknown[]]>([
  ['a positive integer', positiveInteger(about), [1, 2 ** 31 - 1], [0, 1.5, 2 ** 31, Infinity]],
  ['an integer from 0', nonNegativeInteger(about), [0, 7], [-1, 0.5]],
  ['a range', numberWithin('integer', { minimum: 0, maximum: 3 })(about), [0, 3], [-1, 4]],
  [
    'a limit that can be lifted',
    numberWithin('integer', { minimum: 0, infinite: true })(about),
    [0, 2 ** 40, Infinity],
    [-1, 0.5, 2 ** 60],
  ],
  ['a finite number', finiteNumber(about), [-1e300, 0, 0.5], [Infinity]],
  ['a positive number', positiveNumber(about), [5e-324, 1, 1e300], [0, -0, -1, Infinity]],
  ['a number from 0', nonNegativeNumber(about), [0, 0.1, 1e300], [-1e-9, Infinity]],
  ['a share', share(about), [0, 0.5, 1], [1.5, -0.1]],
  ['a share below 1', shareBelowOne(about), [0, 1 - 2 ** -53], [1, -0.1, Infinity]],
  ['a choice', choice(about, ['left', 'right']), ['left', 'right'], ['', 'Left', 'toString']],
  ['a flag', flag(about, true), [true, false], [0, 1, 'true']],
  [
    'a number or a word',
    either(nonNegativeInteger(about), choice(about, ['all'])),
    [0, 5, 'all'],
    [-1, 'none'],
  ],
])('%s', (_, schema, good, bad) => {
  it('allows its values and refuses others', () => {
    const check = (value: unknown) => () => requireSettings('owner', { it: schema }, { it: value })
    for (const value of good) expect(check(value), String(value)).not.toThrow()
    for (const value of [...bad, ...strangers]) {
      expect(check(value), describeValue(value)).toThrow(
        `it must be ${describeAllowed(schema)}, got`,
      )
    }
  })

  it('may be absent', () => {
    expect(() => requireSettings('owner', { it: schema }, {})).not.toThrow()
  })
})

describe('settings', () => {
  const schema = {
    rate: shareBelowOne('The rate', 0.5),
    mode: choice('The mode', ['fast', 'exact'], 'fast'),
    cap: positiveInteger('The cap'),
  } as const

  it('get their defaults, in the order of the schema', () => {
    const complete = readSettings('it', schema, { cap: 3, rate: undefined })
    expect(Object.entries(complete)).toEqual([
      ['rate', 0.5],
      ['mode', 'fast'],
      ['cap', 3],
    ])
  })

  it('reject an unknown name and list the known names', () => {
    expect(() => readSettings('it', schema, { speed: 1 })).toThrow(
      expect.objectContaining({
        code: 'invalid-argument',
        message: 'it has no setting speed; it has rate, mode, cap',
      }),
    )
    expect(() => readSettings('it', {}, { toString: 1 })).toThrow('it has none')
  })

  it('name the owner, the allowed values and the received value when they are invalid', () => {
    const refused = (given: object) => () => readSettings('tcn', schema, { ...given })
    expect(refused({ cap: 'x' })).toThrow('tcn.cap must be an integer of at least 1, got "x"')
    expect(refused({ rate: 1 })).toThrow('tcn.rate must be a number from 0 to below 1, got 1')
    expect(refused({ mode: null })).toThrow('tcn.mode must be fast or exact, got null')
  })

  it('are allowed exactly within their bounds', () => {
    fc.assert(
      fc.property(fc.double(), (rate) => {
        const read = () => readSettings('it', schema, { rate })
        if (rate >= 0 && rate < 1) expect(read().rate).toBe(rate)
        else expect(read).toThrow('it.rate must be')
      }),
    )
  })
})
