import fc from 'fast-check'
import { expect, it } from 'vitest'
import { tieHash } from '../kernels/index.ts'
import { bestRows } from './slate-policy.ts'

it("returns the same rows as sorting by score and then by the item's hash", () => {
  const scores = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(scores, fc.nat(40), fc.nat(), (values, wanted, seed) => {
      const rows = Int32Array.from(values.keys()).filter((row) => row % 5 !== 1)
      const itemOf = (row: number) => 7 * row
      const hash = (row: number) => tieHash(seed, itemOf(row))
      const sorted = rows.toSorted((a, b) => values[b]! - values[a]! || hash(a) - hash(b))
      const count = Math.min(wanted, rows.length)
      expect(bestRows({ rows, itemOf }, Float64Array.from(values), count, seed)).toEqual(
        sorted.slice(0, count),
      )
    }),
  )
})

it('refuses a score that is not finite, and names its item', () => {
  const candidates = { rows: Int32Array.of(0, 1), itemOf: (row: number) => 10 + row }
  expect(() => bestRows(candidates, Float32Array.of(1, Number.NaN), 1, 0)).toThrow('item 11 is NaN')
})
