import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createRecommendationIds } from './recommend.ts'

test('ids are distinct and sort in order of creation, even if the clock goes backwards', () => {
  const times = fc.array(fc.integer({ min: 0, max: 4e12 }), { maxLength: 1200 })
  fc.assert(
    fc.property(times, (clock) => {
      const nextId = createRecommendationIds()
      const ids = clock.map(nextId)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids.toSorted()).toEqual(ids)
    }),
    { numRuns: 30 },
  )
})

test('an id does not reveal the next one', () => {
  const [one, other] = [createRecommendationIds(), createRecommendationIds()]
  expect(one(1000).slice(0, 14)).toBe(other(1000).slice(0, 14))
  expect(one(1000)).not.toBe(other(1000))
  expect(one(1000)).toMatch(/^[0-9a-z]{34}$/)
})
