import { describe, expect, it } from 'vitest'

import { createEngine } from '../kernels/index.ts'
import { createCohorts, run } from '../simulation/index.ts'
import { enter, requireContestant, tryContestant } from './contestants.ts'

const itemNames = ['a', 'b', 'c', 'd', 'e', 'f']
const users = Array.from({ length: 40 }, (_, u) => ({
  name: `user ${u}`,
  items: ['e', itemNames[u % 4]!],
}))

/** The mean reward in a world where everyone likes e. */
async function earnedBy(method: string, settings = {}): Promise<number> {
  const engine = await createEngine({ kernel: 'reference' })
  const world = createCohorts({ seed: 1, itemNames, users, cohorts: 4, sweeps: 1, slateSize: 1 })
  const { environment, contestant } = enter(engine, world, method, settings, 1)
  const rows = [...run(environment, contestant)]
  engine.close()
  return rows.reduce((sum, { reward }) => sum + reward, 0) / rows.length
}

describe('contestants', () => {
  it.each([
    ['oracle', 1],
    ['popular-in-hindsight', 1],
    ['click-rate', 0.5],
    ['click-rate-ucb', 0.5],
    ['beta-ts', 0.5],
  ])('has %s, which earns more than chance', async (method, least) => {
    expect(await earnedBy(method)).toBeGreaterThanOrEqual(least)
  })

  it('has counters that learn in intervals', async () => {
    expect(await earnedBy('click-rate', { atOnce: false })).toBeGreaterThan(0.3)
  })

  it('refuses settings that a contestant does not have', () => {
    requireContestant('click-rate-ucb', { bonusWeight: 0.2, takes: 1 })
    expect(() => requireContestant('click-rate', { bonusWeight: 0.2 })).toThrow(
      'click-rate has no setting bonusWeight; it has takes, misses, atOnce',
    )
    expect(() => requireContestant('popular-in-hindsight', { takes: 1 })).toThrow('it has none')
  })
  it.each([
    ['ren-g', { rate: 'fast' }],
    ['ren-g', { diversityWeight: -1 }],
    ['ren-g', { dimension: 'wide' }],
    ['gru4rec', { loss: 'nonsense' }],
    ['gru4rec', { fineTuneSteps: 1.5 }],
    ['epsilon-greedy', { epsilon: 3 }],
    ['gru4rec+sup-ren', { scale: -1 }],
    ['beta-ts', { takes: -1 }],
  ])('refuses %s with %o before anything runs', async (method, settings) => {
    await expect(tryContestant(method, settings)).rejects.toMatchObject({
      code: 'invalid-argument',
    })
  })

  it.each(['oracle', 'popular-in-hindsight', 'ren-h', 'gru4rec+sup-ren', 'mlp+base-ren'])(
    'lets %s try',
    async (method) => {
      await expect(tryContestant(method, {})).resolves.toBeUndefined()
    },
  )
})
