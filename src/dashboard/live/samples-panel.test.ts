import fc from 'fast-check'
import { expect, it } from 'vitest'

import { sampleOf } from './samples-panel.tsx'

const listed = fc.uniqueArray(fc.record({ user: fc.string(), interactions: fc.nat(20) }), {
  selector: ({ user }) => user,
})

it('samples are different users with a history, as many as there are up to the count', () => {
  fc.assert(
    fc.property(listed, fc.integer({ min: 1, max: 5 }), (users, count) => {
      const sample = sampleOf(users, count, 0)
      const active = users.filter(({ interactions }) => interactions > 0)
      expect(sample).toHaveLength(Math.min(count, active.length))
      expect(new Set(sample).size).toBe(sample.length)
      expect(sample.every(({ interactions }) => interactions > 0)).toBe(true)
    }),
  )
})

it('rounds show other users, and prefer those with enough interactions', () => {
  const users = Array.from({ length: 12 }, (_, i) => ({ user: `${i}`, interactions: i }))
  const first = sampleOf(users, 3, 0).map(({ user }) => user)
  const second = sampleOf(users, 3, 1).map(({ user }) => user)
  expect(first.every((user) => Number(user) >= 5)).toBe(true)
  expect(second.filter((user) => first.includes(user))).toEqual([])
})
