import { afterAll, describe, expect, it } from 'vitest'

import { createRandom } from '../../src/core/random.ts'
import { createEngine } from '../../src/kernels/index.ts'
import type { SequenceModel } from '../../src/models/index.ts'
import { loadPretrained, pretrain } from './pretrain.ts'
import type { TrainingSettings } from './pretrain.ts'
import type { Split } from './split.ts'

const engine = await createEngine({ kernel: 'simd128' })
afterAll(() => engine.close())

const itemNames = Array.from({ length: 12 }, (_, item) => `m${item}`)
const settings: TrainingSettings = { order: 'shuffled', dimension: 8, epochs: 12, rate: 0.02 }

/** Half of the users rate the first six movies, the others the last six. */
const random = createRandom(5)
const training = Array.from({ length: 64 }, (_, user) => {
  const items = random.choose(6, 6).map((item) => item + 6 * (user % 2))
  return { user, items, rewards: new Float32Array(6).fill(1), times: new Float64Array(6) }
})
const split: Split = {
  itemNames,
  training,
  tested: [],
  exploration: [],
  holdOut: [],
  counts: new Float32Array(12),
}

const weightsOf = (model: SequenceModel) => model.parameters.map(({ value }) => [...value.values])
const quickly = { ...settings, epochs: 1 }
const trained = (own: Partial<TrainingSettings> = {}, seed = 1) =>
  weightsOf(pretrain(engine, split, { ...quickly, ...own }, seed, () => {}))

describe('pretraining', () => {
  it('learns which movies go together', () => {
    const shares: number[] = []
    const model = pretrain(engine, split, settings, 1, (share) => shares.push(share))
    expect(shares.at(-1)).toBe(1)
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    for (const first of [0, 6]) {
      const history = {
        items: Int32Array.of(first, first + 1),
        rewards: Float32Array.of(1, 1),
        times: new Float64Array(2),
      }
      const theta = new Float32Array(8)
      model.userEmbedding(history, theta)
      const { values } = model.itemEmbeddings
      const scores = itemNames.map((_, item) =>
        theta.reduce((sum, value, i) => sum + value * values[8 * item + i]!, 0),
      )
      const [own, other] = [scores.slice(first, first + 6), scores.slice(6 - first, 12 - first)]
      expect(Math.min(...own)).toBeGreaterThan(Math.max(...other))
    }
  })

  it('gives equal weights for equal seeds, and other weights for another seed or order', () => {
    expect(trained()).toEqual(trained())
    expect(trained({}, 2)).not.toEqual(trained())
    expect(trained({ order: 'time' })).not.toEqual(trained())
  })

  it('runs once for the same settings, ratings and seed', async () => {
    let steps = 0
    const load = (ratings: Split) => loadPretrained(engine, ratings, quickly, 1, () => steps++)
    expect(weightsOf(await load(split))).toEqual(trained())
    const stepsBefore = steps
    expect(weightsOf(await load(split))).toEqual(trained())
    expect(steps).toBe(stepsBefore)
    const fewer = { ...split, training: training.slice(0, 32) }
    expect(weightsOf(await load(fewer))).not.toEqual(trained())
  })
})
