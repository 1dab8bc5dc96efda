import { describe, expect, it } from 'vitest'
import {
  checkCausality,
  checkPadding,
  kernels,
  liveModel,
  randomHistory,
} from '../../test/check-causality.ts'
import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import { createBatch, lastEvents } from './batch.ts'
import { sasrec } from './sasrec.ts'
import { createSequenceModel } from './sequence-model.ts'

const small = { dimension: 10, window: 20, heads: 2 }

describe.each(kernels)('SASRec on the %s kernels', (kernel) => {
  it('gives a history the same θ bit for bit in any batch', () =>
    checkPadding(sasrec(small), kernel))

  it('does not depend on later events', () => checkCausality(sasrec(small), kernel))
})

describe('SASRec', () => {
  it('depends on the order of the events', async () => {
    const model = await liveModel(sasrec(small), 'reference')
    const history = randomHistory(2, createRandom('history'))
    const [first, second] = history.items
    const [theta, swapped] = [new Float32Array(10), new Float32Array(10)]
    model.userEmbedding(history, theta)
    model.userEmbedding({ ...history, items: Int32Array.of(second!, first!) }, swapped)
    expect(swapped).not.toEqual(theta)
  })

  it('reads the last events of a history longer than its window', async () => {
    const model = await liveModel(sasrec(small), 'reference')
    const history = randomHistory(33, createRandom('history'))
    const [theta, ofLast] = [new Float32Array(10), new Float32Array(10)]
    model.userEmbedding(history, theta)
    model.userEmbedding(lastEvents(history, 20), ofLast)
    expect(theta).toEqual(ofLast)
  })

  it('refuses a batch with more steps than positions', async () => {
    const model = await liveModel(sasrec(small), 'reference')
    const batch = createBatch([randomHistory(21, createRandom('history'))], true)
    expect(() => model.encode(batch)).toThrow('at most 21 steps, got 22')
  })

  it('refuses heads that do not divide the dimension', () => {
    expect(() => sasrec({ dimension: 50, heads: 3 })).toThrow(
      'heads must divide the dimension of 50, got 3',
    )
  })

  it('initializes its item embeddings with the requested deviation', async () => {
    const engine = await createEngine({ kernel: 'reference' })
    const architecture = sasrec({ dimension: 20, itemDeviation: 0.5 })
    const { itemEmbeddings } = createSequenceModel(engine, architecture, 500, createRandom(1))
    const { values } = itemEmbeddings
    const variance = values.reduce((sum, value) => sum + value ** 2, 0) / values.length
    expect(Math.sqrt(variance)).toBeCloseTo(0.5, 1)
  })
})
