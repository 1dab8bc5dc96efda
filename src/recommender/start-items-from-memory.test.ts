import { expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import { createSequenceModel, gru4rec } from '../models/index.ts'
import { startItemsFromMemory } from './full-training.ts'

const engine = await createEngine()

const history = (...items: number[]) => ({
  items: Int32Array.from(items),
  rewards: new Float32Array(items.length).fill(1),
  times: Float64Array.from(items.keys()),
})

it('moves consecutive items together and retains the scale of the embeddings', () => {
  const model = createSequenceModel(engine, gru4rec({ dimension: 4 }), 4, createRandom(1))
  const size = () => Math.hypot(...model.itemEmbeddings.values)
  const [before, version] = [size(), model.version]
  const histories = [history(0, 1, 0, 1, 0, 1), history(2, 3, 2, 3, 2, 3)]
  startItemsFromMemory(model, histories, createRandom(2))
  const { values } = model.itemEmbeddings
  const inner = (a: number, b: number) =>
    [0, 1, 2, 3].reduce((sum, i) => sum + values[4 * a + i]! * values[4 * b + i]!, 0)
  expect(inner(0, 1)).toBeGreaterThan(2 * Math.abs(inner(0, 2)))
  expect(inner(2, 3)).toBeGreaterThan(2 * Math.abs(inner(1, 3)))
  expect(size()).toBeCloseTo(before, 5)
  expect(model.version).toBeGreaterThan(version)
})
