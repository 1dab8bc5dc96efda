import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createEngine } from '../kernels/index.ts'
import type { Engine } from '../kernels/index.ts'
import type { Recommender } from '../recommender/index.ts'
import { createSyn, run, createColdContent } from '../simulation/index.ts'
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

  it.each(['oracle', 'ren-g', 'matrix-factorization+ren', 'gru4rec+base-ren'])(
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

describe('contestants', () => {
  it('include the oracle, which loses nothing', () => {
    const world = createSyn({ seed: 1, repeats: 1, steps: 20, users: 3 })
    const { environment, contestant } = enter(engine, world, 'oracle', {}, 1)
    for (const { reward, bestReward } of run(environment, contestant)) {
      expect(reward).toBeCloseTo(bestReward, 9)
    }
  })

  it.each([
    ['ren-g', { rate: 'fast' }],
    ['ren-g', { diversityWeight: -1 }],
    ['ren-g', { dimension: 'wide' }],
    ['gru4rec', { loss: 'nonsense' }],
    ['gru4rec', { fineTuneSteps: 1.5 }],
    ['epsilon-greedy', { epsilon: 3 }],
    ['gru4rec+base-ren', { scale: -1 }],
    ['oracle', { scale: 1 }],
    ['best', {}],
  ])('refuses %s with %o before the first run', (method, settings) => {
    expect(() => requireContestant(method, settings)).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })

  it('names every method if one is unknown', () => {
    const others = { names: ['lucky'], find: () => undefined }
    expect(() => requireContestant('best', {}, others)).toThrow(/ren-g, .*; or oracle, lucky$/)
  })

  it.each(['oracle', 'ren-h', 'gru4rec+ren-ts', 'mlp+base-ren'])('accepts %s', (method) => {
    expect(() => requireContestant(method, {})).not.toThrow()
  })
})
