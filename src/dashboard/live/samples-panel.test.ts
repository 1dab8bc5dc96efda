import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { exploredItems, sampleOf } from './samples-panel.tsx'

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

describe('explored items', () => {
  const item = (name: string, relevance: number, diversity: number, uncertainty: number) => {
    return { item: name, score: 0, relevance, diversity, uncertainty }
  }
  const weights = { relevance: 1, diversity: 1, uncertainty: 1 } as const
  const greedy = { items: [item('a', 0.9, 0.1, 0.1), item('b', 0.5, 0.1, 0.1)] }

  it('are less relevant than the greedy slate, and name the bonus that stands out', () => {
    const items = [item('a', 0.9, 0.1, 0.1), item('new', 0.1, 0.1, 1), item('odd', 0.2, 1, 0.1)]
    expect([...exploredItems({ items, weights }, greedy)]).toEqual([
      ['new', 'explored: few impressions so far'],
      ['odd', 'explored: unlike the user’s history'],
    ])
  })

  it('have no reason without weights, and do not include items that tie', () => {
    const items = [item('tie', 0.5, 1, 1), item('new', 0.1, 0.1, 1)]
    expect([...exploredItems({ items, weights: null }, greedy)]).toEqual([['new', 'explored']])
  })
})
