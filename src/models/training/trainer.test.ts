import { beforeAll, describe, expect, it } from 'vitest'
import { randomHistory } from '../../../test/check-causality.ts'
import { expectClose } from '../../../test/kernel-workspace.ts'
import { recordGradients } from '../../../test/record-gradients.ts'
import { createRandom } from '../../core/random.ts'
import { createEngine } from '../../kernels/index.ts'
import type { Engine } from '../../kernels/index.ts'
import { gru4recParity } from '../gru4rec-parity.ts'
import { gru4rec } from '../gru4rec.ts'
import { binaryCrossEntropy, squaredError } from '../losses/reward.ts'
import { sampled } from '../losses/sampled.ts'
import type { SampledOptions } from '../losses/sampled.ts'
import { softmax } from '../losses/softmax.ts'
import { adam, lazyAdam } from '../optimizers/optimizers.ts'
import { createSequenceModel } from '../sequence-model.ts'
import { createWorkspace } from '../../kernels/index.ts'
import { nextItemExample } from './examples.ts'
import { createTrainer } from './trainer.ts'
import type { TrainerOptions } from './trainer.ts'

const itemCount = 30
const sampledOf = (options: Pick<SampledOptions, 'kind'> & Partial<SampledOptions>) =>
  sampled({
    negatives: 6,
    support: Float64Array.from({ length: itemCount }, (_, item) => (item + 1) ** 2),
    alpha: 0.5,
    ...options,
  })

describe('a training step', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine({ kernel: 'reference' })
  })

  /** Returns the model after one step, its loss and the weights before. */
  function stepOf(architecture: typeof gru4rec | typeof gru4recParity, options: TrainerOptions) {
    const settings = architecture({ dimension: 4, window: 9 })
    const model = createSequenceModel(engine, settings, itemCount, createRandom(1))
    model.biasTable?.parameter.value.values.forEach((_, i, values) => (values[i] = i / 9))
    const before = model.parameters.map(({ value }) => value.values.slice())
    const histories = [3, 5, 2].map((length) => randomHistory(length, createRandom(length)))
    const example = nextItemExample(histories, settings.withStart)
    const { loss } = createTrainer(model, options).step(example, createRandom(2))
    return { model, before, loss }
  }

  it.each([
    ['squared error', squaredError()],
    ['binary cross-entropy', binaryCrossEntropy()],
    ['sampled cross-entropy', sampledOf({ kind: 'cross-entropy' })],
    ['logQ', sampledOf({ kind: 'cross-entropy', logQ: 1 })],
    ['BPR-max', sampledOf({ kind: 'bpr-max', elu: 0.5, regularization: 1 })],
  ] as const)('under %s is the same on the touched rows as on the catalog', (_, loss) => {
    for (const architecture of [gru4rec, gru4recParity]) {
      const [all, touched] = [recordGradients('all'), recordGradients('touched')]
      const whole = stepOf(architecture, { loss, optimizer: all })
      const part = stepOf(architecture, { loss, optimizer: touched })
      expect(part.loss).toBeCloseTo(whole.loss, 6)
      expect(Object.keys(touched.gradients).toSorted()).toEqual(
        Object.keys(all.gradients).toSorted(),
      )
      for (const [name, gradient] of Object.entries(all.gradients)) {
        expectClose(touched.gradients[name]!, gradient, 1e-6)
      }
    }
  })

  it('leaves untouched rows unchanged with an optimizer of touched rows', () => {
    const loss = squaredError()
    const optimizer = lazyAdam(engine, createWorkspace(engine), { rate: 0.1 })
    const touched = recordGradients('touched')
    stepOf(gru4rec, { loss, optimizer: touched })
    const { model, before } = stepOf(gru4rec, { loss, optimizer })
    const { values } = model.parameters[0]!.value
    for (let row = 0; row <= itemCount; row++) {
      const [from, to] = [row * 4, row * 4 + 4]
      const rested = touched.gradients['items']!.slice(from, to).every((g) => g === 0)
      expect(values.slice(from, to).every((value, i) => value === before[0]![from + i])).toBe(
        rested,
      )
    }
  })

  it('applies dropout to the input, and only during training', () => {
    const losses = [undefined, 0, 0.5].map((inputDropout) => {
      const options = { loss: softmax(), optimizer: adam(engine, createWorkspace(engine)) }
      return stepOf(gru4rec, { ...options, ...(inputDropout !== undefined && { inputDropout }) })
        .loss
    })
    expect(losses[1]).toBe(losses[0])
    expect(losses[2]).not.toBe(losses[0])
    const model = createSequenceModel(engine, gru4rec({ dimension: 4 }), itemCount, createRandom(1))
    const judged = [0, 0.5].map((inputDropout) => {
      const optimizer = adam(engine, model.workspace)
      const trainer = createTrainer(model, { loss: softmax(), optimizer, inputDropout })
      return trainer.loss(
        nextItemExample([randomHistory(5, createRandom(5))], true),
        createRandom(2),
      )
    })
    expect(judged[1]).toBe(judged[0])
  })

  it('clips all gradients together', () => {
    const [free, clipped] = [recordGradients('all'), recordGradients('all')]
    stepOf(gru4recParity, { loss: softmax(), optimizer: free })
    stepOf(gru4recParity, { loss: softmax(), optimizer: clipped, clip: 1e-3 })
    const norm = (gradients: Readonly<Record<string, readonly number[]>>) =>
      Math.hypot(...Object.values(gradients).flat())
    expect(norm(free.gradients)).toBeGreaterThan(1e-2)
    expect(norm(clipped.gradients)).toBeCloseTo(1e-3, 8)
    const share = 1e-3 / norm(free.gradients)
    for (const [name, gradient] of Object.entries(free.gradients)) {
      expectClose(
        clipped.gradients[name]!,
        gradient.map((value) => share * value),
        1e-8,
      )
    }
  })

  it('does not change gradients within the maximum norm', () => {
    const [free, clipped] = [recordGradients('all'), recordGradients('all')]
    stepOf(gru4rec, { loss: softmax(), optimizer: free })
    stepOf(gru4rec, { loss: softmax(), optimizer: clipped, clip: 1e3 })
    expect(clipped.gradients).toEqual(free.gradients)
  })

  it('refuses gradients that overflow float32, even if the loss is finite', () => {
    const settings = gru4rec({ dimension: 4, window: 9 })
    const model = createSequenceModel(engine, settings, itemCount, createRandom(1))
    model.itemEmbeddings.values.fill(1e25)
    const before = model.parameters.map(({ value }) => value.values.slice())
    const example = nextItemExample([randomHistory(1, createRandom(1))], true)
    const optimizer = adam(engine, model.workspace)
    const trainer = createTrainer(model, { loss: squaredError(), optimizer })
    expect(() => trainer.step(example, createRandom(1))).toThrow("the gradients' norm became")
    expect(model.parameters.map(({ value }) => value.values.slice())).toEqual(before)
  })

  it('refuses a loss over the whole catalog with an optimizer of touched rows', () => {
    const optimizer = recordGradients('touched')
    expect(() => stepOf(gru4rec, { loss: softmax(), optimizer })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })
})
