import fc from 'fast-check'
import { expect, test } from 'vitest'

import { methodColors } from './palette.ts'

test('REN has the first color and greedy the second, by any name and in any order', () => {
  for (const [ren, greedy] of [
    ['REN', 'greedy'],
    ['ren-g', 'gru4rec'],
    ['sasrec+ren', 'sasrec+greedy'],
  ] as const) {
    expect(methodColors([ren, greedy])).toEqual([0, 1])
    expect(methodColors(['popularity', greedy, ren])).toEqual([2, 1, 0])
  }
})

test('no two methods share a color, and the colors of REN and greedy are reserved', () => {
  const names = fc.constantFrom('ren-g', 'gru4rec', 'random', 'oracle', 'lin-ts', 'tcn', 'own')
  fc.assert(
    fc.property(fc.array(names, { maxLength: 12 }), (methods) => {
      const colors = methodColors(methods)
      expect(new Set(colors).size).toBe(methods.length)
      const others = colors.filter((_, i) => ['oracle', 'own'].includes(methods[i]!))
      expect(Math.min(...others)).toBeGreaterThanOrEqual(2)
    }),
  )
})
