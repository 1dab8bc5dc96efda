import { beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import { createSequenceModel, gru4rec, gru4recParity } from '../models/index.ts'
import type { SequenceModel } from '../models/index.ts'
import type { RenEvent } from './events.ts'
import { completeSettings, lessonsOf } from './learning.ts'
import type { FeedbackKind, FineTuneSettings } from './learning.ts'
import { foldEvents } from './state.ts'

const names = ['a', 'b', 'c', 'd']
let model: SequenceModel
let startless: SequenceModel
beforeAll(async () => {
  const engine = await createEngine()
  const create = (architecture: Parameters<typeof createSequenceModel>[1]) =>
    createSequenceModel(engine, architecture, names.length, createRandom(1))
  model = create(gru4rec({ dimension: 4, window: 10 }))
  startless = create(gru4recParity({ dimension: 4 }))
})

// Ann is shown two items with their rewards and takes one of them; bob takes one unasked.
const round = (time: number): RenEvent[] => [
  { kind: 'shown', user: 'ann', items: ['a', 'b'], rewards: [0.1, 0.9], time },
  { kind: 'taken', user: 'ann', item: 'b', reward: 0.9, time },
]
const events: RenEvent[] = [
  ...round(1),
  ...round(2),
  { kind: 'taken', user: 'bob', item: 'c', reward: -0.5, time: 3 },
]

function learn(
  kind: FeedbackKind,
  settings: Partial<FineTuneSettings> = {},
  { learnt = 0, from = model } = {},
) {
  return lessonsOf(foldEvents(names, events), learnt, kind, from, completeSettings(settings))
}
const observed = (lessons: ReturnType<typeof learn>) =>
  lessons.fresh.map(({ observations }) =>
    observations.map(({ after, item, reward }) => [after, item, reward]),
  )

describe('what is learnt from', () => {
  it('is what users took, where the feedback is of selected items', () => {
    expect(observed(learn('selected'))).toEqual([
      [
        [0, 1, 0.9],
        [1, 1, 0.9],
      ],
      [[0, 2, -0.5]],
    ])
  })

  it('is each item of a slate once, where the feedback is of shown items', () => {
    expect(observed(learn('shown'))).toEqual([
      [
        [0, 0, 0.1],
        [0, 1, 0.9],
        [1, 0, 0.1],
        [1, 1, 0.9],
      ],
      [[0, 2, -0.5]],
    ])
  })

  it('is cut to the last interactions, and moments are counted from there', () => {
    expect(observed(learn('selected', { window: 1 }))).toEqual([[[0, 1, 0.9]], [[0, 2, -0.5]]])
    expect(learn('selected', { window: 1 }).fresh[0]!.history.items).toHaveLength(1)
  })

  it('leaves out what a model without a start vector cannot learn: first choices', () => {
    expect(observed(learn('selected', {}, { from: startless }))).toEqual([[[1, 1, 0.9]]])
  })

  it('is older for users without news since the weights last learnt', () => {
    const { fresh, older } = learn('selected', {}, { learnt: 4 })
    expect([fresh.length, older.length]).toEqual([1, 1])
    expect(fresh[0]!.observations[0]!.reward).toBe(-0.5)
    expect(older.at(0)!.observations.map(({ item }) => item)).toEqual([1, 1])
    expect(learn('selected', { replay: 0 }, { learnt: 4 }).older).toHaveLength(0)
  })
})

describe('settings of fine-tuning', () => {
  it.each([
    { steps: 0 },
    { steps: 1.5 },
    { window: 0 },
    { replay: -1 },
    { replay: 'most' as 'as-many' },
  ])('refuse %o', (settings) => {
    expect(() => completeSettings(settings)).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })
})
