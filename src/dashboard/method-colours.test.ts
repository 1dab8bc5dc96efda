import fc from 'fast-check'
import { expect, test } from 'vitest'

import { methodColours } from './method-colours.ts'

test('REN is of the first colour and greedy of the second, by whatever name and in any order', () => {
  for (const [ren, greedy] of [
    ['REN', 'greedy'],
    ['ren-g', 'gru4rec'],
    ['sasrec+ren', 'sasrec+greedy'],
  ] as const) {
    expect(methodColours([ren, greedy])).toEqual([0, 1])
    expect(methodColours(['popularity', greedy, ren])).toEqual([2, 1, 0])
  }
})

test('no two have one colour, and others none of REN and greedy', () => {
  const names = fc.constantFrom('ren-g', 'gru4rec', 'random', 'oracle', 'lin-ts', 'tcn', 'own')
  fc.assert(
    fc.property(fc.array(names, { maxLength: 12 }), (methods) => {
      const colours = methodColours(methods)
      expect(new Set(colours).size).toBe(methods.length)
      const others = colours.filter((_, i) => ['oracle', 'own'].includes(methods[i]!))
      expect(Math.min(...others)).toBeGreaterThanOrEqual(2)
    }),
  )
})
