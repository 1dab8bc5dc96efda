import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { parseSeeds } from './seeds.ts'

describe('seeds', () => {
  it('are a range, single numbers, or both', () => {
    expect(parseSeeds('200..203')).toEqual([200, 201, 202, 203])
    expect(parseSeeds('7')).toEqual([7])
    expect(parseSeeds('9, 3..4')).toEqual([9, 3, 4])
    expect(parseSeeds([5, 1])).toEqual([5, 1])
  })

  it('of a range are all integers from its first to its last', () => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.nat(50), (first, more) => {
        const seeds = parseSeeds(`${first}..${first + more}`)
        expect(seeds).toHaveLength(more + 1)
        expect(seeds.every((seed, i) => seed === first + i)).toBe(true)
      }),
    )
  })

  it.each(['', '3..1', 'a..b', '1...3', '-1', '1.5', '1,,2', '0..99999999'])(
    'refuses %j and says what is allowed',
    (text) => expect(() => parseSeeds(text)).toThrow(/seeds must be integers such as 200\.\.219/),
  )

  it('refuses a duplicate seed', () => {
    expect(() => parseSeeds('1..3,2')).toThrow('got 2 twice')
    expect(() => parseSeeds([4, 4])).toThrow('got 4 twice')
  })
})
