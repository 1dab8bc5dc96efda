import fc from 'fast-check'
import { expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { partNames, sampledChoice } from './blend.ts'

const itemCount = 80

it('draws items of both kinds that represent the whole catalog, after the chosen one', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat({ max: itemCount - 1 }), { minLength: 2, maxLength: 60 }),
      fc.nat({ max: 20 }),
      fc.nat(),
      ([item, ...rest], seenCount, seed) => {
        const seen = new Set(rest.slice(0, seenCount))
        const remembered = Int32Array.from(rest)
        const numbers = Float32Array.from({ length: itemCount }, (_, other) => other)
        const columns = { model: numbers }
        const { features, counts } = sampledChoice({
          columns,
          remembered,
          item: item!,
          seen,
          itemCount,
          nearItems: 5,
          farDraws: itemCount,
          random: createRandom(seed),
        })
        const rows = Array.from(counts, (_, row) => features[row * partNames.length]!)
        expect(rows[0]).toBe(item)
        expect(new Set(rows).size).toBe(rows.length)
        expect(rows.some((row) => seen.has(row))).toBe(false)
        const total = counts.reduce((sum, count) => sum + count, 0)
        expect(total).toBeCloseTo(itemCount - seen.size, 3)
      },
    ),
  )
})
