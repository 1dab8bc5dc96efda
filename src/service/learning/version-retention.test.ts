import fc from 'fast-check'
import { expect, test } from 'vitest'

import { thinOut } from './versions.ts'

const itself = (value: number): number => value

test('the limit is kept, with the newest and the oldest, in order', () => {
  const numbers = fc.uniqueArray(fc.nat(), { minLength: 1 })
  fc.assert(
    fc.property(numbers, fc.integer({ min: 2, max: 20 }), (given, most) => {
      const falling = given.toSorted((a, b) => b - a)
      const left = thinOut(falling, most, itself)
      expect(left).toHaveLength(Math.min(most, falling.length))
      expect(left).toEqual(falling.filter((number) => left.includes(number)))
      expect([left[0], left.at(-1)]).toEqual([falling[0], falling.at(-1)])
    }),
  )
})

test('with a limit of one, the newest is left', () => {
  expect(thinOut([9, 5, 0], 1, itself)).toEqual([9])
})

test('with a limit of ten, each is a few times as old as the next', () => {
  let left: readonly number[] = []
  for (let number = 0; number <= 2000; number++) left = thinOut([number, ...left], 10, itself)
  const ages = left.map((number) => 2000 - number)
  expect(ages.slice(0, 2)).toEqual([0, 1])
  expect(ages.at(-1)).toBe(2000)
  const ratios = ages.slice(2).map((age, i) => age / ages[i + 1]!)
  expect(Math.max(...ratios)).toBeLessThan(6)
  expect(Math.min(...ratios)).toBeGreaterThan(1.2)
})
