// Trains the model that all methods of a run share: a GRU that learns once, from half of the users.

import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

import type { UserSequence } from '../../src/core/log.ts'
import { createRandom } from '../../src/core/random.ts'
import type { Random } from '../../src/core/random.ts'
import { runKernel } from '../../src/experiments/protocol.ts'
import type { Engine } from '../../src/kernels/index.ts'
import {
  adam,
  createSequenceModel,
  gru4rec,
  loadModel,
  saveModel,
  softmax,
  train,
} from '../../src/models/index.ts'
import type { History, Loss, SequenceModel } from '../../src/models/index.ts'
import { cached, codeDigest, digest } from '../cache.ts'
import type { SlateSettings } from './settings.ts'
import type { Split } from './split.ts'

export type TrainingSettings = Pick<SlateSettings, 'order' | 'dimension' | 'epochs' | 'rate'>

const usersPerBatch = 16
const ratingsPerUser = 100
/** The number of targets per step. Each target scores the whole catalog, so they determine the cost. */
const targetsPerBatch = 30 * usersPerBatch
/** The rate falls to this share of itself for the last third of the epochs. */
const lastRate = 0.3
/** Longer than any history. The model applies what it learned from shorter ones. */
const window = 10_000

/** The source files that determine the weights, together with settings, ratings and seed. */
const trainingCode = ['src/{core,kernels,models}/**/*.{ts,wasm}', 'paper/slates/pretrain.ts']

/** The model of these settings, data and seed, trained now or by an earlier run. */
export async function loadPretrained(
  engine: Engine,
  split: Split,
  { order, dimension, epochs, rate }: TrainingSettings,
  seed: number,
  progress: (share: number) => void,
): Promise<SequenceModel> {
  const settings = { order, dimension, epochs, rate }
  const code = codeDigest(...trainingCode)
  const key = digest([settings, digestOf(split), seed, runKernel, code])
  const path = await cached(`model-${key}.safetensors`, (part) => {
    const model = pretrain(engine, split, settings, seed, progress)
    writeFileSync(part, saveModel({ model, itemNames: split.itemNames }))
  })
  return loadModel(engine, readFileSync(path)).model
}

export function pretrain(
  engine: Engine,
  { itemNames, training }: Split,
  { order, dimension, epochs, rate }: TrainingSettings,
  seed: number,
  progress: (share: number) => void,
): SequenceModel {
  const random = createRandom(seed)
  const architecture = gru4rec({ dimension, window })
  const model = createSequenceModel(engine, architecture, itemNames.length, random.fork('model'))
  const optimizers = [rate, lastRate * rate].map((value) =>
    adam(engine, model.workspace, { rate: value }),
  )
  for (let epoch = 0; epoch < epochs; epoch++) {
    const stream = random.fork(`epoch ${epoch}`)
    const updates = train(
      model,
      training.map((sequence) => excerpt(sequence, order, stream)),
      {
        loss: onSomeTargets(softmax(), targetsPerBatch, stream.fork('targets')),
        optimizer: optimizers[3 * epoch < 2 * epochs ? 0 : 1]!,
        epochs: 1,
        batchSize: usersPerBatch,
        random: stream.fork('training'),
        clock: () => 0,
      },
    )
    for (const { step, steps } of updates) progress((epoch + step / steps) / epochs)
  }
  return model
}

/** A digest of the movies and ratings. */
function digestOf({ itemNames, training }: Split): string {
  const hash = createHash('sha256').update(JSON.stringify(itemNames))
  for (const { items } of training) hash.update(`${items.length} ratings`).update(items)
  return hash.digest('hex')
}

/** 100 ratings of a user: random ones in random order, or consecutive ones in order of time. */
function excerpt(sequence: UserSequence, order: SlateSettings['order'], random: Random): History {
  const { length } = sequence.items
  const selected = Math.min(ratingsPerUser, length)
  const from = random.integer(length - selected + 1)
  const chosen =
    order === 'shuffled'
      ? random.choose(selected, length)
      : Int32Array.from({ length: selected }, (_, i) => from + i)
  return {
    items: chosen.map((row) => sequence.items[row]!),
    rewards: Float32Array.from(chosen, (row) => sequence.rewards[row]!),
    times: Float64Array.from(chosen, (row) => sequence.times[row]!),
  }
}

/** The loss on `count` random targets of each batch. */
function onSomeTargets(loss: Loss, count: number, random: Random): Loss {
  return {
    ...loss,
    apply(scored, { rows, items, rewards }, candidates) {
      const selected = random.choose(Math.min(count, rows.length), rows.length)
      const some = {
        rows: selected.map((i) => rows[i]!),
        items: selected.map((i) => items[i]!),
        rewards: Float32Array.from(selected, (i) => rewards[i]!),
      }
      return loss.apply(scored, some, candidates)
    },
  }
}
