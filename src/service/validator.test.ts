import fc from 'fast-check'
import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'

import { itemToPut } from './schemas/items.ts'
import { recommendRequest, userEvent } from './schemas/requests.ts'
import { name } from './schemas/builders.ts'
import { checkOf, compileValidator, valid } from './validator.ts'

const check = checkOf(recommendRequest, 'request')
const complaintOf = (value: unknown): string => {
  const checked = check(value)
  return 'error' in checked ? checked.error.message : 'none'
}

describe('a request', () => {
  it('is returned unchanged if it is valid', () => {
    const request = { user: 'ann', count: 3, excludeSeen: 'interacted', boost: { a: 1 } }
    expect(valid(check(request))).toBe(request)
  })

  it.each([
    [{ count: 3 }, 'user is required'],
    [{ user: 'ann', count: 0 }, 'count must be an integer from 1 to 1000, got 0'],
    [{ user: 'ann', count: 1.5 }, 'count must be an integer from 1 to 1000, got 1.5'],
    [{ user: 3, count: 3 }, /^user must be a string of 1 to 256 characters .* got 3$/],
    [
      { user: 'ann', count: 3, color: 1 },
      /^request has no key "color"; its keys are user, count, /,
    ],
    [
      { user: 'ann', count: 3, pin: [{ item: 'a', slot: 0 }] },
      /^pin\[0\]\.slot must be an integer/,
    ],
    [
      { user: 'ann', count: 3, excludeSeen: 'no' },
      /^excludeSeen must be true, false, auto, interacted or/,
    ],
    [{ user: 'ann', count: 3, exploration: { weight: 'a' } }, /^exploration must be \{ w/],
    [
      { user: 'ann', count: 3, exploration: { weight: 1, policy: 'ren' } },
      /^exploration must be \{ weight, exploratoryShare \} or .* got \{ "weight": 1, "policy": "ren" \}$/,
    ],
    [
      { user: 'ann', count: 3, exploration: { policy: 'ren', settings: { a: {} } } },
      /^exploration must .* the settings of strings, .* "settings": an object \}$/,
    ],
    [null, 'request must be an object, got null'],
    [[], 'request must be an object, got an empty array'],
  ])('the error for %j says what is wrong and where', (value, message) => {
    if (typeof message === 'string') expect(complaintOf(value)).toBe(message)
    else expect(complaintOf(value)).toMatch(message)
  })

  it('gets an error that lists the allowed types of an attribute', () => {
    const checked = checkOf(itemToPut, 'item')({ item: 'a', attributes: { color: null } })
    expect(checked).toMatchObject({
      error: {
        message:
          'attributes.color must be a string, a number, a boolean or an array of strings, got null',
      },
    })
  })

  it('gets an error of limited length, whatever it contains', () => {
    const checks = [check, checkOf(userEvent, 'event')]
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...checks), (value, one) => {
        const checked = one(value)
        if (!('error' in checked)) return
        expect(checked.error.code).toBe('invalid-argument')
        expect(checked.error.message.length).toBeLessThan(500)
        expect(checked.error.message).toMatch(/ must be | has no key | is required$/s)
        expect(checked.error.message).not.toContain('must be an object, got {')
      }),
    )
  })
})

describe('a name', () => {
  const checkName = checkOf(name, 'name')
  const isName = (text: string): boolean => 'value' in checkName(text)

  it('is any text of up to 256 visible characters that UTF-8 can encode', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const points = Array.from(text)
        const isSeen = points.every((point) => point >= ' ' && point !== '\u007f')
        const isShort = points.length > 0 && points.length <= 256
        expect(isName(text)).toBe(isShort && text.isWellFormed() && isSeen)
      }),
      { numRuns: 30 },
    )
  })

  it.each(['a/b', '..', '%', 'ナ', '👩‍👩‍👧', "'; drop table events; --", '__proto__', ' '])(
    'may be %s',
    (text) => expect(isName(text)).toBe(true),
  )
  it.each(['', '\u0000', 'a\nb', '\ud800', 'a\udc00b', 'x'.repeat(257)])('may not be %j', (text) =>
    expect(isName(text)).toBe(false),
  )
  it('is measured in code points, not in code units', () => {
    expect(isName('😀'.repeat(256))).toBe(true)
    expect(isName('😀'.repeat(257))).toBe(false)
    expect(isName(`a${'\u0301'.repeat(256)}`)).toBe(false)
  })
})

describe('a query', () => {
  const schema = Type.Object({ limit: Type.Optional(Type.Integer()), name: Type.String() })
  const read = compileValidator({ schema, httpPart: 'querystring' })

  it('has numbers and texts as its schema says', () => {
    expect(read({ limit: '12', name: '12' })).toEqual({ value: { limit: 12, name: '12' } })
  })
  it.each(['', ' ', '1.5', '1e3', '0x10', 'Infinity', '99999999999999999999'])(
    'has no number in %j',
    (limit) => expect(read({ limit, name: 'a' })).toHaveProperty('error'),
  )
})

it('treats a missing body as an empty one', () => {
  const read = compileValidator({ schema: Type.Object({}), httpPart: 'body' })
  expect(read(undefined)).toEqual({ value: {} })
})
