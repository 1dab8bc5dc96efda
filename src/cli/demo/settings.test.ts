import { describe, expect, it } from 'vitest'

import { createSyn } from '../../simulation/index.ts'
import { catalog, itemName, userName } from './settings.ts'

const items = catalog()

describe('the names of the demo', () => {
  it('are the same for the items of every copy of the world', () => {
    const names = items.map(({ item }) => item).toSorted()
    expect(new Set(names).size).toBe(28)
    for (const seed of [1, 2]) {
      const world = createSyn({ seed, repeats: 1, steps: 1 })
      const named = world.itemNames.map((item) => itemName(world.dimensionsOf(item)))
      expect(named.toSorted()).toEqual(names)
    }
  })

  it('give each item two tastes, and one of them, evenly distributed, for its color', () => {
    const counts = new Map<unknown, number>()
    for (const { item, attributes } of items) {
      const { tastes, taste } = attributes!
      expect((tastes as string[]).join(' + ')).toBe(item)
      expect(tastes).toContain(taste)
      counts.set(taste, (counts.get(taste) ?? 0) + 1)
    }
    const sizes = [...counts.values()].toSorted((a, b) => a - b)
    expect(sizes).toEqual([3, 3, 3, 3, 4, 4, 4, 4])
  })

  it("say that a user is simulated, and list the user's tastes", () => {
    expect(userName(7, new Set([7, 0, 2]))).toBe('simulated 7 (bitter, nutty, sweet)')
  })
})
