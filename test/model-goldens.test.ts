// Compares complete models with PyTorch's float64 numbers: hidden states, loss and every gradient of the
// layers, losses and training steps that users run, on all kernels.

import { describe, expect, it } from 'vitest'
import { createRandom } from '../src/core/random.ts'
import { createEngine } from '../src/kernels/index.ts'
import { createBatch } from '../src/models/batch.ts'
import type { History } from '../src/models/batch.ts'
import { importGru } from '../src/models/files/pytorch-import.ts'
import { writeSafetensors } from '../src/models/files/safetensors.ts'
import { gru } from '../src/models/layers/gru.ts'
import type { GruOptions } from '../src/models/layers/gru.ts'
import type { Loss } from '../src/models/losses/loss.ts'
import { squaredError } from '../src/models/losses/reward.ts'
import { softmax } from '../src/models/losses/softmax.ts'
import type { Optimizer } from '../src/models/optimizers/optimizer.ts'
import { createSequenceModel } from '../src/models/sequence-model.ts'
import type { Architecture } from '../src/models/sequence-model.ts'
import { createTrainer } from '../src/models/training/trainer.ts'
import { kernels } from './check-causality.ts'
import type { Kernel } from './check-causality.ts'
import { goldens, timeMajor, timeMajorList } from './kernel-goldens/goldens.ts'
import type { Golden } from './kernel-goldens/goldens.ts'
import { expectClose } from './kernel-workspace.ts'
import { recordGradients } from './record-gradients.ts'

const tied = goldens.gru_reset_after_tied_softmax
const regression = goldens.gru_reset_before_reward_regression

interface GoldenModel {
  readonly cell: NonNullable<GruOptions['cell']>
  readonly items: readonly (readonly number[])[]
  readonly table: Golden
  /** Parameters of the GRU: weights of inputs and states, biases of inputs and states. */
  readonly weights: readonly (readonly number[])[]
  readonly hidden: Golden
  readonly loss: Loss
  readonly targets: readonly (readonly number[])[]
  readonly rewards: readonly number[]
  readonly value: number
  readonly gradients: { readonly table: Golden; readonly weights: readonly (readonly number[])[] }
}

const tiedSoftmax: GoldenModel = {
  cell: 'reset-after',
  items: tied.items,
  table: tied.params.E,
  weights: [
    tied.params.weight_ih.data,
    tied.params.weight_hh.data,
    tied.params.bias_ih.data,
    tied.params.bias_hh.data,
  ],
  hidden: tied.hidden,
  loss: softmax(),
  targets: tied.targets,
  rewards: [],
  value: tied.loss,
  gradients: {
    table: tied.grads.E,
    weights: [
      tied.grads.weight_ih.data,
      tied.grads.weight_hh.data,
      tied.grads.bias_ih.data,
      tied.grads.bias_hh.data,
    ],
  },
}

const half = regression.params.b.data.map((value) => value / 2) // the cell has one bias, this GRU has two

const rewardRegression: GoldenModel = {
  cell: 'reset-before',
  items: regression.items,
  table: regression.params.E,
  weights: [regression.params.W.data, regression.params.U.data, half, half],
  hidden: regression.hidden,
  loss: squaredError(),
  targets: regression.scored,
  rewards: timeMajor({ ...regression.rewards, shape: [...regression.rewards.shape, 1] }),
  value: regression.loss,
  gradients: {
    table: regression.grads.E,
    weights: [
      regression.grads.W.data,
      regression.grads.U.data,
      regression.grads.b.data,
      regression.grads.b.data,
    ],
  },
}

describe.each(kernels)('on the %s kernels', (kernel) => {
  it('a GRU with a tied softmax has the loss and gradients of PyTorch', () =>
    checkModel(kernel, tiedSoftmax, 'all'))

  it.each(['all', 'touched'] as const)(
    'a GRU under a reward regression gives the numbers of PyTorch, with gradients of %s rows',
    (rows) => checkModel(kernel, rewardRegression, rows),
  )

  it('imported weights have the hidden states of PyTorch', async () => {
    const { E, weight_ih, weight_hh, bias_ih, bias_hh } = tied.params
    const tensors = Object.entries({
      'items.weight': E,
      'gru.weight_ih_l0': weight_ih,
      'gru.weight_hh_l0': weight_hh,
      'gru.bias_ih_l0': bias_ih,
      'gru.bias_hh_l0': bias_hh,
    }).map(([name, { shape, data }]) => [name, { shape, data: Float32Array.from(data) }] as const)
    const { model } = importGru(
      await createEngine({ kernel }),
      writeSafetensors({ tensors: new Map(tensors), metadata: {} }),
      {
        items: 'items.weight',
        gruPrefix: 'gru.',
        itemNames: tied.params.E.data.slice(0, 7).map(String),
      },
    )
    const histories = tied.items.map(historyOf)
    const hidden = model.encode(createBatch(histories, model.architecture.withStart))
    expectClose([...hidden.values], timeMajor(tied.hidden))
    const width = E.shape[1]!
    const last = new Float32Array(width)
    for (const [s, history] of histories.entries()) {
      model.userEmbedding(history, last)
      const end = (s + 1) * history.items.length * width
      expectClose([...last], tied.hidden.data.slice(end - width, end))
    }
  })
})

async function checkModel(
  kernel: Kernel,
  golden: GoldenModel,
  rows: Optimizer['rows'],
): Promise<void> {
  const [itemCount, width] = golden.table.shape as [number, number]
  const architecture: Architecture = {
    description: { model: 'golden' },
    dimension: width,
    window: 5,
    withStart: false,
    build: (context) => gru(context, { inputs: width, hidden: width, cell: golden.cell }),
  }
  const engine = await createEngine({ kernel })
  const model = createSequenceModel(engine, architecture, itemCount, createRandom(1))
  model.itemEmbeddings.values.set(golden.table.data)
  for (const [i, { value }] of model.network.parameters.entries()) {
    value.values.set(golden.weights[i]!)
  }

  const optimizer = recordGradients(rows)
  const items = Int32Array.from(timeMajorList(golden.targets))
  const { loss, theta } = createTrainer(model, { loss: golden.loss, optimizer }).step(
    {
      batch: createBatch(golden.items.map(historyOf), false),
      targets: {
        rows: items.map((_, position) => position),
        items,
        rewards: Float32Array.from(items, (_, position) => golden.rewards[position] ?? 1),
      },
    },
    createRandom(1),
  )
  expectClose([...theta.values], timeMajor(golden.hidden))
  expectClose([loss], [golden.value])
  const { gradients } = optimizer
  const start = Array.from({ length: width }, () => 0) // the first row of the table, which is not used here
  expectClose(gradients['items']!, [...start, ...golden.gradients.table.data])
  expect(model.network.parameters).toHaveLength(4)
  for (const [i, { name }] of model.network.parameters.entries()) {
    expectClose(gradients[name]!, golden.gradients.weights[i]!)
  }
}

function historyOf(items: readonly number[]): History {
  return {
    items: Int32Array.from(items),
    rewards: new Float32Array(items.length),
    times: new Float64Array(items.length),
  }
}
