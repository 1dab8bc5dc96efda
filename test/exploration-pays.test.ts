// The first experiment of the paper at a small scale: REN finds items that a greedy policy misses.

import { expect, it } from 'vitest'
import { createMethod } from 'ren-recommender'
import type { PresetName } from 'ren-recommender'
import { createEngine } from 'ren-recommender/kernels'
import type { Engine } from 'ren-recommender/kernels'
import { createSyn, createTally, run } from 'ren-recommender/simulation'

// Chosen before the first run.
const seeds = [1, 2, 3]

/** The mean reward of the last 100 rounds, over the seeds. */
function finalReward(engine: Engine, name: PresetName): number {
  const rewards = seeds.map((seed) => {
    const environment = createSyn({ seed, repeats: 1, steps: 400, feedback: 'shown' })
    const { itemNames } = environment
    const tally = createTally({ itemCount: itemNames.length })
    for (const row of run(environment, createMethod(engine, name, { itemNames, seed }))) {
      tally.add(row)
    }
    return tally.metrics().finalReward
  })
  return rewards.reduce((sum, reward) => sum + reward) / seeds.length
}

it('ends with a higher reward with REN than with greedy, close to the optimum of 0.8165', async () => {
  const engine = await createEngine()
  const [ren, greedy] = [finalReward(engine, 'ren-g'), finalReward(engine, 'gru4rec')]
  expect(ren).toBeGreaterThan(0.75)
  expect(ren - greedy).toBeGreaterThan(0.05)
}, 60_000)
