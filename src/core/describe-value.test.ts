import fc from 'fast-check'
import { expect, it } from 'vitest'

import { describeValue } from './describe-value.ts'

it.each([
  [1.5, '1.5'],
  [Number.NaN, 'NaN'],
  ['two words', '"two words"'],
  [undefined, 'undefined'],
  [null, 'null'],
  [[1], 'an array'],
  [[], 'an empty array'],
  [{ toString: 0 }, 'an object'],
  [Object.create(null), 'an object'],
  [() => 1, 'a function'],
  [Symbol('s'), 'Symbol(s)'],
  [3n, '3'],
])('describes %o', (value, text) => {
  expect(describeValue(value)).toBe(text)
})

it('describes any value without throwing', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true }), (value) => {
      expect(describeValue(value)).not.toBe('')
    }),
  )
})
