import fc from 'fast-check'
import { expect, it } from 'vitest'
import { requireName, toJson } from './log-event.ts'

it('accepts all values that JSON can represent', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(toJson(value, 'it')).toBe(JSON.stringify(value))
    }),
  )
})

it('omits undefined values of an object', () => {
  expect(toJson({ a: undefined, b: Object.create(null) }, 'it')).toBe('{"b":{}}')
})

it.each([
  [Number.NaN, 'it must be a finite number, got NaN'],
  [{ a: [1, { b: -Infinity }] }, 'it.a[1].b must be a finite number, got -Infinity'],
  [[undefined], 'it[0] must be plain JSON, got undefined'],
  [{ a: () => 1 }, 'it.a must be plain JSON, got a function'],
  [{ a: 1n }, 'it.a must be plain JSON, got 1'],
  [undefined, 'it must be plain JSON, got undefined'],
  [{ a: new Date(0) }, 'it.a must be a plain object, got a Date'],
  [[new Uint8Array(2)], 'it[0] must be a plain object, got a Uint8Array'],
])('refuses %o by its place', (value, message) => {
  expect(() => toJson(value, 'it')).toThrow(message)
})

it('refuses cycles', () => {
  const endless: unknown[] = []
  endless.push(endless)
  expect(() => toJson(endless, 'it')).toThrow('must be less than 100 levels deep')
})

it.each(['', '\ud800', 'a\0b', 'x'.repeat(1025), 'é'.repeat(513), null, 7])(
  'refuses %o as a name',
  (value) => {
    expect(() => requireName(value, 'user')).toThrow(
      'user must be a well-formed string of 1 to 1024',
    )
  },
)

it.each(['x', 'é'.repeat(512), '\u0001'])('accepts %o as a name', (value) => {
  expect(requireName(value, 'user')).toBe(value)
})
