import { beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import type { History } from './batch.ts'
import { gru4rec } from './gru4rec.ts'
import { gru4recParity } from './gru4rec-parity.ts'
import { squaredError } from './losses/reward.ts'
import { adam } from './optimizers/optimizers.ts'
import { createSequenceModel } from './sequence-model.ts'
import type { SequenceModel } from './sequence-model.ts'
import { fineTune } from './training/fine-tune.ts'
import { train } from './training/train.ts'

const sound: History = {
  items: Int32Array.of(0, 3, 2),
  rewards: Float32Array.of(1, 0, 0.5),
  times: Float64Array.of(1, 2, 3),
}
const wrong: readonly (readonly [Partial<History>, code: string, message: string])[] = [
  [
    { rewards: Float32Array.of(1, 0) },
    'shape-mismatch',
    'the number of rewards must be 3, one per event, got 2',
  ],
  [
    { times: new Float64Array(4) },
    'shape-mismatch',
    'the number of times must be 3, one per event, got 4',
  ],
  [
    { rewards: Float32Array.of(1, Number.NaN, 0) },
    'non-finite-input',
    'rewards[1] must be a finite number, got NaN',
  ],
  [
    { times: Float64Array.of(1, 2, Infinity) },
    'non-finite-input',
    'times[2] must be a finite number, got Infinity',
  ],
  [
    { context: Float32Array.of(0, 1, -Infinity) },
    'non-finite-input',
    'context[2] must be a finite number, got -Infinity',
  ],
  [{ items: Int32Array.of(0, 4, 1) }, 'index-out-of-range', 'event 1 names item 4'],
  [{ items: Int32Array.of(-1, 0, 1) }, 'index-out-of-range', 'event 0 names item -1'],
]

describe('a history', () => {
  let model: SequenceModel
  beforeAll(async () => {
    const engine = await createEngine({ kernel: 'reference' })
    model = createSequenceModel(engine, gru4rec({ dimension: 3 }), 4, createRandom(1))
  })

  const readers: Record<string, (history: History) => unknown> = {
    userEmbedding: (history) => model.userEmbedding(history, new Float32Array(3)),
    openState: (history) => model.openState(history),
    train: (history) => train(model, [sound, history], { ...settings(), epochs: 1, batchSize: 1 }),
    fineTune(history) {
      const observations = [{ after: 1, item: 0, reward: 1 }]
      const feedback = [sound, history].map((past) => ({ history: past, observations }))
      return fineTune(model, feedback, [], { ...settings(), steps: 1 })
    },
  }
  const settings = () => ({
    loss: squaredError(),
    optimizer: adam(model.engine, model.workspace),
    random: createRandom(1),
    clock: () => 0,
  })

  it.each(Object.keys(readers))('that is invalid is refused by %s with a reason', (reader) => {
    readers[reader]!(sound)
    const { version } = model
    for (const [change, code, message] of wrong) {
      expect(() => readers[reader]!({ ...sound, ...change }), message).toThrow(
        expect.objectContaining({ code, message: expect.stringContaining(message) }),
      )
    }
    expect(model.version).toBe(version)
  })

  it('has its θ written to the first d values of the output only', () => {
    expect(() => model.userEmbedding(sound, new Float32Array(2))).toThrow(
      expect.objectContaining({
        code: 'shape-mismatch',
        message: 'userEmbedding: out must hold 3 values, got 2',
      }),
    )
    const parity = gru4recParity({ dimension: 3 })
    const cold = createSequenceModel(model.engine, parity, 4, createRandom(1))
    const none = { items: new Int32Array(), rewards: new Float32Array(), times: new Float64Array() }
    const out = new Float32Array(4).fill(7)
    cold.userEmbedding(none, out)
    expect([...out]).toEqual([0, 0, 0, 7])
  })
})
