// Checks two properties of every sequence model: a position does not depend on later positions, and a
// sequence does not depend on the other sequences of its batch or on padding.

import { expect } from 'vitest'
import { createRandom } from '../src/core/random.ts'
import type { Random } from '../src/core/random.ts'
import { createEngine } from '../src/kernels/index.ts'
import type { Tensor } from '../src/kernels/index.ts'
import { createBatch } from '../src/models/batch.ts'
import type { History } from '../src/models/batch.ts'
import { createSequenceModel } from '../src/models/sequence-model.ts'
import type { Architecture, SequenceModel } from '../src/models/sequence-model.ts'

export const kernels = ['reference', 'simd128', 'relaxed-simd'] as const
export type Kernel = (typeof kernels)[number]

const itemCount = 30

/** A model with large random weights, so that no output is constant because weights are near 0. */
export async function liveModel(
  architecture: Architecture,
  kernel: Kernel,
  seed = 1,
): Promise<SequenceModel> {
  const random = createRandom(seed)
  const engine = await createEngine({ kernel })
  const model = createSequenceModel(engine, architecture, itemCount, random)
  for (const { value } of model.parameters) {
    const noise = random.fork(value.name)
    for (let i = 0; i < value.values.length; i++) value.values[i]! += 0.3 * noise.normal()
  }
  return model
}

export function randomHistory(length: number, random: Random): History {
  return {
    items: Int32Array.from({ length }, () => random.integer(itemCount)),
    rewards: Float32Array.from({ length }, () => random.uniform()),
    times: Float64Array.from({ length }, (_, event) => 60_000 * event),
  }
}

/** θ of sequence `s`, with one row per real step. */
function thetaOf(model: SequenceModel, histories: readonly History[], s: number): Float32Array[] {
  const { withStart } = model.architecture
  const theta = model.encode(createBatch(histories, withStart))
  const steps = histories[s]!.items.length + (withStart ? 1 : 0)
  return Array.from({ length: steps }, (_, t) => rowOf(theta, t * histories.length + s))
}

function rowOf({ values, columns }: Tensor, row: number): Float32Array {
  return values.slice(row * columns, (row + 1) * columns)
}

/** θ of a history has the same bits alone and in a batch with shorter and longer ones. */
export async function checkPadding(architecture: Architecture, kernel: Kernel): Promise<void> {
  const model = await liveModel(architecture, kernel)
  const random = createRandom('histories')
  const lengths = [3, architecture.window, 1, 7, Math.ceil(architecture.window / 2)]
  const histories = lengths.map((length) => randomHistory(length, random))
  for (const [s, history] of histories.entries()) {
    expect(thetaOf(model, histories, s)).toEqual(thetaOf(model, [history], 0))
  }
}

/** Changing one event does not change θ at earlier steps, and changes it at that event. */
export async function checkCausality(architecture: Architecture, kernel: Kernel): Promise<void> {
  const model = await liveModel(architecture, kernel)
  const length = Math.min(12, architecture.window)
  const history = randomHistory(length, createRandom('history'))
  const before = thetaOf(model, [history], 0)
  const first = architecture.withStart ? 1 : 0
  for (let event = 0; event < length; event++) {
    const items = history.items.with(event, (history.items[event]! + 1) % itemCount)
    const after = thetaOf(model, [{ ...history, items }], 0)
    expect(after.slice(0, event + first)).toEqual(before.slice(0, event + first))
    expect(after[event + first]).not.toEqual(before[event + first])
  }
}
