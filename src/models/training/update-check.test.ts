import { beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../core/random.ts'
import { createEngine } from '../../kernels/index.ts'
import type { Engine } from '../../kernels/index.ts'
import { gru4rec } from '../gru4rec.ts'
import { ranking } from '../losses/ranking.ts'
import { lazyAdam } from '../optimizers/optimizers.ts'
import { createSequenceModel } from '../sequence-model.ts'
import type { SequenceModel } from '../sequence-model.ts'
import type { Feedback } from './feedback.ts'
import { fineTune } from './fine-tune.ts'
import type { FineTuneOptions } from './fine-tune.ts'
import { rankCheck } from './update-check.ts'

const itemCount = 40

/** Users who cycle through the items in order, from different starting points. */
function walkOf(start: number, length = 12, step = 1): Feedback {
  const items = Int32Array.from({ length }, (_, i) => (start + i * step) % itemCount)
  return {
    history: {
      items,
      rewards: new Float32Array(length).fill(1),
      times: Float64Array.from(items.keys()),
    },
    observations: Array.from(items, (item, after) => ({ after, item, reward: 1 })),
  }
}
const walks = Array.from({ length: 30 }, (_, i) => walkOf(7 * i))
const others = Array.from({ length: 6 }, (_, i) => walkOf(5 * i + 3))

describe('the rank check', () => {
  let engine: Engine
  let learned: SequenceModel
  const open = () =>
    createSequenceModel(engine, gru4rec({ dimension: 16, window: 20 }), itemCount, createRandom(1))
  const tune = (model: SequenceModel, fresh: readonly Feedback[], more: Partial<FineTuneOptions>) =>
    fineTune(model, fresh, [], {
      loss: ranking(),
      optimizer: lazyAdam(engine, model.workspace, { rate: 0.02 }),
      steps: 60,
      random: createRandom(2),
      clock: () => 0,
      heldOut: others,
      tolerance: 1.2,
      ...more,
    })
  beforeAll(async () => {
    engine = await createEngine()
    learned = open()
    tune(learned, walks, {})
  })
  const meanOf = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length
  const casesOf = (model: SequenceModel, heldOut = others) =>
    rankCheck(model, heldOut, createRandom(3))!.measureCases()

  it('measures 1/log₂(1 + rank) of the ten newest interactions of each user', () => {
    const values = casesOf(learned)
    expect(values).toHaveLength(60)
    expect(meanOf(values)).toBeGreaterThan(0.9)
    for (const value of values) {
      const rank = 2 ** (1 / value) - 1
      expect(rank).toBeCloseTo(Math.round(rank), 6)
      expect(Math.round(rank)).toBeLessThanOrEqual(itemCount)
    }
    expect(meanOf(casesOf(open()))).toBeLessThan(0.4)
  })

  it('ranks items with tied scores last', () => {
    const constant = open()
    for (const { value } of constant.parameters) value.values.fill(0)
    for (const value of casesOf(constant))
      expect(value).toBeCloseTo(1 / Math.log2(1 + itemCount), 6)
  })

  it('includes the item biases', () => {
    const architecture = { ...gru4rec({ dimension: 4 }), withBias: true }
    const model = createSequenceModel(engine, architecture, itemCount, createRandom(1))
    model.biasTable!.items.values[3] = 100
    const walk = { ...walkOf(0), observations: [{ after: 1, item: 3, reward: 1 }] }
    expect(casesOf(model, [walk])).toEqual([1])
  })

  it('is null if nothing was chosen', () => {
    const left = walks.map(({ history }) => ({
      history,
      observations: [{ after: 1, item: 2, reward: 0 }],
    }))
    expect(rankCheck(open(), left, createRandom(1))).toBeNull()
    expect(tune(open(), walks, { heldOut: left, steps: 1 }).heldOut).toBeNull()
  })

  it('refuses an update that damages the model, and restores the weights', () => {
    const before = learned.parameters.map(({ value }) => value.values.slice())
    const backwards = walks.map((_, i) => walkOf(7 * i, 12, itemCount - 1))
    const report = tune(learned, backwards, {})
    expect(report).toMatchObject({ refused: true, heldOut: { measure: 'ndcg' } })
    expect(report.heldOut!.after).toBeLessThan(0.8 * report.heldOut!.before)
    expect(learned.parameters.map(({ value }) => value.values)).toEqual(before)
  })

  it('accepts an update that only adds noise, and any update without tolerance', () => {
    const check = rankCheck(learned, others, createRandom(3))!
    const before = check.measureCases()
    const noisy = before.map((value, i) => value + (i % 2 === 0 ? 0.1 : -0.11))
    expect(check.isWorse(before, noisy)).toBe(false)
    expect(check.isWorse(before, before)).toBe(false)
    expect(
      check.isWorse(
        before,
        noisy.map((value) => value - 0.2),
      ),
    ).toBe(true)
    const backwards = walks.map((_, i) => walkOf(7 * i, 12, itemCount - 1))
    const model = open()
    tune(model, walks, {})
    expect(tune(model, backwards, { tolerance: Infinity }).refused).toBe(false)
  })
})
