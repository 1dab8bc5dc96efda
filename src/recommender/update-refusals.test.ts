// Harmful updates are refused, updates with little information are not.

import { slateItems } from '../core/events.ts'
import { createEngine } from '../kernels/index.ts'
import { createRandom } from '../core/random.ts'
import { expect, it } from 'vitest'
import { createMethod } from './methods.ts'

const itemNames = Array.from({ length: 40 }, (_, item) => `item ${item}`)

/** Runs forty updates from slates with random clicks, and returns how many were refused. */
async function refusals(clickChance: number, users: number, rate: number): Promise<number> {
  const random = createRandom('judging')
  const recommender = createMethod(await createEngine(), 'ren-g', {
    itemNames,
    seed: 1,
    settings: { dimension: 8, optimizer: 'lazy-adam', rate },
    fineTune: { holdOut: 0.1, tolerance: 1.2, maxUsers: 256, replay: 'as-many' },
  })
  let refused = 0
  for (let time = 1; time <= 40; time++) {
    for (let user = 0; user < users; user++) {
      const name = `user ${user}`
      const items = recommender.recommend({ user: name, count: 5 }).items.map(({ item }) => item)
      const rewards = items.map(() => Number(random.uniform() < clickChance))
      recommender.observe({
        kind: 'recommendation',
        user: name,
        items: slateItems(items, rewards),
        time,
      })
    }
    if (recommender.fineTune().refused !== null) refused += 1
  }
  return refused
}

it.each([
  [0.01, 10],
  [0.01, 40],
  [0.05, 10],
])('accepts updates with a click rate of %f and %i users', async (clickChance, users) => {
  expect(await refusals(clickChance, users, 0.002)).toBeLessThanOrEqual(2)
})

it('refuses harmful updates', async () => {
  expect(await refusals(0.05, 40, 100)).toBeGreaterThan(20)
})
