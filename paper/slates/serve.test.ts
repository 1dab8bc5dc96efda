import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'

import { createRandom } from '../../src/core/random.ts'
import { createPolicy, policyNames } from '../../src/exploration/index.ts'
import { createEngine } from '../../src/kernels/index.ts'
import { createSequenceModel, gru4rec, matrixFactorization } from '../../src/models/index.ts'
import type { SequenceModel } from '../../src/models/index.ts'
import { holdOutRecallAfter, serveSlates } from './serve.ts'
import type { Setting } from './serve.ts'

const engine = await createEngine({ kernel: 'simd128' })
afterAll(() => engine.close())

const exploration = ['a', 'b', 'c', 'd', 'e', 'f']
const holdOut = ['x', 'y', 'z']
const itemNames = [...exploration, ...holdOut]
const alice = { name: 'alice', exploration: ['f', 'b', 'c'], holdOut: ['z', 'y'] }

const settings = { steps: 3, slateSize: 2, cutoff: 2, exclude: 'shown', timed: false } as const

const settingOf = (
  model: SequenceModel,
  own: Partial<Setting['settings']> = {},
  counts = new Float32Array(itemNames.length).fill(1),
): Setting => ({
  model,
  split: { itemNames, training: [], tested: [alice], exploration, holdOut, counts },
  settings: { ...settings, ...own },
  seed: 1,
})

/** θ is (1, 0) whatever the history, so that the first value of each vector is its relevance. */
function steadyModel(relevance: readonly number[]): SequenceModel {
  const model = createSequenceModel(
    engine,
    gru4rec({ dimension: 2 }),
    itemNames.length,
    createRandom(1),
  )
  for (const { value } of model.parameters) value.values.fill(0)
  model.parameters.find(({ name }) => name === 'network.decoder.bias')!.value.values[0] = 1
  for (const [item, value] of relevance.entries()) model.itemEmbeddings.values[2 * item] = value
  return model
}

//                             a  b  c  d  e  f  x  y  z
const falling = steadyModel([6, 5, 4, 3, 2, 1, 3, 2, 1])

const serveAlice = (setting: Setting, policy = createPolicy(engine, 'greedy')) =>
  serveSlates(setting, policy)[0]!

describe('greedy slates of a model with a known order of movies', () => {
  it('follow that order without shown movies', () => {
    expect(serveAlice(settingOf(falling))).toMatchObject({
      slates: [
        ['a', 'b'],
        ['c', 'd'],
        ['e', 'f'],
      ],
      explorationRecall: [1 / 3, 2 / 3, 1],
      precision: [0.5, 0.5, 0.5],
      holdOutRecall: [0.5, 0.5, 0.5], // x and y of y and z
    })
  })

  it('repeat movies that were no hits if only hits are excluded', () => {
    expect(serveAlice(settingOf(falling, { exclude: 'hits' }))).toMatchObject({
      slates: [
        ['a', 'b'],
        ['a', 'c'],
        ['a', 'd'],
      ],
      explorationRecall: [1 / 3, 2 / 3, 2 / 3],
      precision: [0.5, 0.5, 0],
    })
  })

  it('stay the same if nothing is excluded, and count a hit once', () => {
    expect(serveAlice(settingOf(falling, { exclude: 'nothing' }))).toMatchObject({
      slates: Array.from({ length: 3 }, () => ['a', 'b']),
      explorationRecall: Array(3).fill(1 / 3),
      precision: Array(3).fill(0.5),
    })
  })

  it('end when all movies have been shown', () => {
    const { slates, precision } = serveAlice(settingOf(falling, { steps: 5 }))
    expect(slates.slice(3)).toEqual([[], []])
    expect(precision.slice(3)).toEqual([0, 0])
  })
})

describe('knowledge about the movies', () => {
  const counts = Float32Array.of(3, 9, 4, 100, 25, 16, 1, 1, 1)
  const allAlike = steadyModel(itemNames.map(() => 0))
  const flat = (setting: Setting, name: 'popularity' | 'ren', own = {}) =>
    serveAlice(setting, createPolicy(engine, name, own)).slates.flat()

  it('counts the ratings of the users who trained the model', () => {
    const setting = settingOf(allAlike, {}, counts)
    expect(flat(setting, 'popularity')).toEqual(['d', 'e', 'f', 'b', 'c', 'a'])
    const uncertain = { diversityWeight: 0, uncertaintyWeight: 1 }
    expect(flat(setting, 'ren', uncertain)).toEqual(['a', 'c', 'b', 'f', 'e', 'd'])
  })
})

describe('known histories', () => {
  it('are evaluated on the movies that are never shown', () => {
    // θ is the ridge fit: half of the one vector that was chosen with a reward of 1.
    const architecture = matrixFactorization({ dimension: 2 })
    const model = createSequenceModel(engine, architecture, 4, createRandom(1))
    model.itemEmbeddings.values.set([1, 0, 0, 1, 1, 0, 0, 1])
    const tested = [
      { name: 'first', exploration: ['a'], holdOut: ['x'] },
      { name: 'second', exploration: ['a'], holdOut: ['y'] },
      { name: 'third', exploration: ['b'], holdOut: ['y'] },
    ]
    const split = {
      itemNames: ['a', 'b', 'x', 'y'],
      exploration: ['a', 'b'],
      holdOut: ['x', 'y'],
      training: [],
      tested,
      counts: new Float32Array(4),
    }
    const setting: Setting = { model, split, settings: { ...settings, cutoff: 1 }, seed: 1 }
    expect(holdOutRecallAfter(setting, 'oracle')).toEqual([1, 0, 1])
    expect(holdOutRecallAfter(setting, 'oracle-shuffled')).toEqual([1, 0, 1])
    expect(holdOutRecallAfter({ ...setting, settings }, 'no-history')).toEqual([1, 1, 1])
  })
})

describe('slates of any model', () => {
  const seeds = fc.integer({ min: 0, max: 1e6 })
  const randomSetting = (seed: number): Setting => {
    const random = createRandom(seed)
    const model = createSequenceModel(
      engine,
      gru4rec({ dimension: 4, decoderScale: 5 }),
      itemNames.length,
      random,
    )
    const counts = Float32Array.from(itemNames, () => random.integer(20))
    return { ...settingOf(model, {}, counts), seed }
  }
  const slatesOf = (setting: Setting, policy = createPolicy(engine, 'greedy')) =>
    serveAlice(setting, policy).slates

  it('are exactly greedy if exploration has no weight', () => {
    const still = [{ diversityWeight: 0, uncertaintyWeight: 0 }, { explorationWeight: 0 }]
    fc.assert(
      fc.property(seeds, fc.constantFrom(...still), (seed, weights) => {
        const setting = randomSetting(seed)
        const policy = createPolicy(engine, 'ren', { ...weights, slate: 'sequential' })
        expect(slatesOf(setting, policy)).toEqual(slatesOf(setting))
      }),
      { numRuns: 30 },
    )
  })

  it('show each movie of the exploration set once, whatever the policy', () => {
    fc.assert(
      fc.property(seeds, fc.constantFrom(...policyNames), (seed, name) => {
        const slates = slatesOf(randomSetting(seed), createPolicy(engine, name))
        expect(slates.flat().toSorted()).toEqual(exploration)
      }),
      { numRuns: 40 },
    )
  })

  it('are the same for the same seed', () => {
    const played = () => slatesOf(randomSetting(7), createPolicy(engine, 'random'))
    expect(played()).toEqual(played())
  })
})
