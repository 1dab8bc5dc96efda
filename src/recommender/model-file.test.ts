import { describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import {
  createSequenceModel,
  gru4recParity,
  loadModel,
  readSafetensors,
  saveModel,
} from '../models/index.ts'
import { createMethod } from './methods.ts'
import { modelFileFrom } from './model-file.ts'

describe('the model file of a recommender', () => {
  it('contains its model, its items and the notes, and nothing else', async () => {
    const engine = await createEngine()
    const recommender = createMethod(engine, 'gru4rec+ren', {
      itemNames: ['a', 'b', 'c'],
      seed: 1,
      settings: { dimension: 4, uncertainty: 'learned' },
    })
    const bytes = modelFileFrom(recommender.saveWeights(), { origin: 'a test' })
    const file = readSafetensors(bytes)
    expect(Object.keys(file.metadata).toSorted()).toEqual([
      'architecture',
      'format',
      'itemNames',
      'origin',
    ])
    const { model, itemNames } = loadModel(engine, bytes)
    expect(itemNames).toEqual(['a', 'b', 'c'])
    expect([...file.tensors.keys()].toSorted()).toEqual(
      model.parameters.map(({ name }) => name).toSorted(),
    )
    for (const [i, { value }] of model.parameters.entries()) {
      expect(value.values).toEqual(recommender.model.parameters[i]!.value.values)
    }
  })

  it('has an item once, with the last of its rows and biases', async () => {
    const engine = await createEngine()
    const model = createSequenceModel(engine, gru4recParity({ dimension: 2 }), 3, createRandom(1))
    model.itemEmbeddings.values.set([1, 2, 3, 4, 5, 6])
    model.itemBias!.values.set([7, 8, 9])
    const notes = { recommender: '{}' }
    const weights = saveModel({ model, itemNames: ['a', 'b', 'a'] }, notes)
    const { model: written, itemNames } = loadModel(engine, modelFileFrom(weights))
    expect(itemNames).toEqual(['a', 'b'])
    expect([...written.itemEmbeddings.values]).toEqual([5, 6, 3, 4])
    expect([...written.itemBias!.values]).toEqual([9, 8])
  })
})
