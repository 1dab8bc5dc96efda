import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createEngine } from '../kernels/index.ts'
import type { Engine } from '../kernels/index.ts'
import type { Recommender } from '../recommender/index.ts'
import { createSyn, run, createCohorts, createColdContent } from '../simulation/index.ts'
import { enter, requireContestant } from './contestants.ts'

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})
afterAll(() => engine.close())

it('a policy with a horizon uses the steps of the world', () => {
  const slatesOf = (more: Readonly<Record<string, number>>) => {
    const world = createSyn({ seed: 1, repeats: 1, steps: 60, users: 3, feedback: 'selected' })
    const settings = { scale: 0.05, ...more }
    const { environment, contestant } = enter(engine, world, 'gru4rec+base-ren', settings, 7)
    return Array.from(run(environment, contestant), ({ slate }) => slate)
  }
  expect(slatesOf({ horizon: 60 })).toEqual(slatesOf({}))
  expect(slatesOf({ horizon: 1e9 })).not.toEqual(slatesOf({}))
})

describe('a world whose items join with vectors', () => {
  const settings = { seed: 1, steps: 30, liveItems: 12, slateSize: 3, users: 2 }

  it.each(['oracle', 'click-rate-ucb', 'ren-g', 'matrix-factorization+ren', 'gru4rec+base-ren'])(
    'can be run by %s',
    (method) => {
      const { environment, contestant } = enter(engine, createColdContent(settings), method, {}, 7)
      expect([...run(environment, contestant)]).toHaveLength(30)
    },
  )

  it('gives the vectors to the model, which has their dimension', () => {
    const syn = createSyn({ seed: 1, repeats: 1, steps: 4, vectors: 'given' })
    const { environment, contestant } = enter(engine, syn, 'gru4rec', {}, 7)
    for (const _ of run(environment, contestant));
    const { model, state } = contestant as Recommender
    expect(state.catalog.names).toEqual(syn.itemNames)
    for (const [row, item] of syn.itemNames.entries()) {
      const vector = [...model.itemEmbeddings.values.subarray(8 * row, 8 * row + 8)]
      const dimensions = [...vector.keys()].filter((i) => vector[i] !== 0)
      expect(dimensions).toEqual(syn.dimensionsOf(item).toSorted((a, b) => a - b))
    }
  })

  it('refuses a model of another dimension', () => {
    const syn = createSyn({ seed: 1, repeats: 1, steps: 9, vectors: 'given' })
    const { environment, contestant } = enter(engine, syn, 'gru4rec', { dimension: 32 }, 7)
    expect(() => [...run(environment, contestant)]).toThrow('32')
  })
})

const itemNames = ['a', 'b', 'c', 'd', 'e', 'f']
const users = Array.from({ length: 40 }, (_, u) => ({
  name: `user ${u}`,
  items: ['e', itemNames[u % 4]!],
}))

/** The mean reward in a world where everyone likes e. */
async function earnedBy(method: string, settings = {}): Promise<number> {
  const own = await createEngine({ kernel: 'reference' })
  const cohorts = createCohorts({ seed: 1, itemNames, users, cohorts: 4, sweeps: 1, slateSize: 1 })
  const { environment, contestant } = enter(own, cohorts, method, settings, 1)
  const rows = [...run(environment, contestant)]
  own.close()
  return rows.reduce((sum, { reward }) => sum + reward, 0) / rows.length
}

describe('contestants', () => {
  it.each([
    ['oracle', 1],
    ['popular-in-hindsight', 1],
    ['click-rate', 0.5],
    ['click-rate-ucb', 0.5],
    ['beta-ts', 0.5],
  ])('%s has a higher reward than chance', async (method, least) => {
    expect(await earnedBy(method)).toBeGreaterThanOrEqual(least)
  })

  it('includes counters that learn in intervals', async () => {
    expect(await earnedBy('click-rate', { atOnce: false })).toBeGreaterThan(0.3)
  })

  it('refuses unknown settings', () => {
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
    ['gru4rec+base-ren', { scale: -1 }],
    ['beta-ts', { takes: -1 }],
  ])('refuses %s with %o before the first run', (method, settings) => {
    expect(() => requireContestant(method, settings)).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })

  it.each(['oracle', 'popular-in-hindsight', 'ren-h', 'gru4rec+ren-ts', 'mlp+base-ren'])(
    'accepts %s',
    (method) => {
      expect(() => requireContestant(method, {})).not.toThrow()
    },
  )
})
