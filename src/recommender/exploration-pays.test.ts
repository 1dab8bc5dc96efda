// The paper's first experiment, small: in a world of tastes REN finds what greedy choice misses.

import { expect, it } from 'vitest'
import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import type { Engine } from '../kernels/index.ts'
import { createPreset } from './presets.ts'
import type { PresetName } from './presets.ts'

const dimension = 8
const steps = 400
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b) / values.length

// 28 items, one for each pair of dimensions, and 15 users who like three dimensions each: with
// entries of 1/√2 and 1/√3 the reward is what they share over √6, at most 2/√6 = .8165.
const pairs = Array.from({ length: dimension }, (_, i) =>
  Array.from({ length: i }, (__, j) => [j, i] as const),
).flat()
const items = new Map(pairs.map((pair) => [pair.join(' and '), pair]))

/** The mean reward of the last 100 steps: four items shown, the user takes the best of them. */
function finalReward(engine: Engine, name: PresetName, seed: number): number {
  const random = createRandom(seed).fork('world')
  const users = Array.from({ length: 15 }, () => new Set(random.choose(3, dimension)))
  const itemNames = [...items.keys()]
  random.shuffle(itemNames)
  const recommender = createPreset(engine, name, { itemNames, seed })
  const earned = Array.from({ length: steps }, (_, time) => {
    const who = random.integer(users.length)
    const user = `user ${who}`
    const shown = recommender.recommend({ user, count: 4 }).items.map(({ item }) => item)
    const worth = (item: string) => items.get(item)!.filter((i) => users[who]!.has(i)).length
    const rewards = shown.map((item) => worth(item) / Math.sqrt(6))
    const reward = Math.max(...rewards)
    const best = shown.filter((__, slot) => rewards[slot] === reward)
    const item = best[random.integer(best.length)]!
    recommender.observe({ kind: 'shown', user, items: shown, rewards, time })
    recommender.observe({ kind: 'taken', user, item, reward, time })
    if (time % 5 === 4) recommender.fineTune()
    return reward
  })
  return mean(earned.slice(-100))
}

it('REN-G ends above GRU4Rec, which gets stuck, by a margin', async () => {
  const engine = await createEngine()
  const seeds = [1, 2, 3]
  const greedy = seeds.map((seed) => finalReward(engine, 'gru4rec', seed))
  const ren = seeds.map((seed) => finalReward(engine, 'ren-g', seed))
  expect(mean(ren)).toBeGreaterThan(0.73)
  expect(mean(ren) - mean(greedy)).toBeGreaterThan(0.05)
})
