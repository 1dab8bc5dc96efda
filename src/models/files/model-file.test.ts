import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { randomHistory } from '../../../test/check-causality.ts'
import { RenError } from '../../core/errors.ts'
import { createRandom } from '../../core/random.ts'
import { createEngine } from '../../kernels/index.ts'
import type { Engine } from '../../kernels/index.ts'
import { createArchitecture, modelNames } from '../architectures.ts'
import { createSequenceModel } from '../sequence-model.ts'
import { importEmbeddings, importGru, loadModel, saveModel } from './model-file.ts'
import type { ImportOptions } from './model-file.ts'
import { readSafetensors, writeSafetensors } from './safetensors.ts'
import type { FileContents, TensorToWrite } from './safetensors.ts'

const itemNames = ['a', 'b', 'c', 'd']
const error = (code: string, message: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(message) })

let engine: Engine
beforeAll(async () => {
  engine = await createEngine({ kernel: 'reference' })
})

const open = (model: string) =>
  createSequenceModel(
    engine,
    createArchitecture({ model, dimension: 4, window: 6 }),
    itemNames.length,
    createRandom(1),
  )

/** A model file with a change. */
function changed(model: string, change: (contents: Changeable) => void): Uint8Array {
  const file = readSafetensors(saveModel({ model: open(model), itemNames }))
  const tensors = Array.from(file.tensors.keys(), (name) => {
    const tensor = { shape: file.shape(name), data: file.floats(name) }
    return [name, tensor] as const
  })
  const contents: Changeable = { tensors: new Map(tensors), metadata: { ...file.metadata } }
  change(contents)
  return writeSafetensors(contents)
}
interface Changeable extends FileContents {
  readonly tensors: Map<string, TensorToWrite>
  readonly metadata: Record<string, string>
}
const claim = (model: string, options: object) =>
  changed(model, ({ metadata }) => {
    const said = JSON.parse(metadata['architecture']!) as object
    metadata['architecture'] = JSON.stringify({ ...said, ...options })
  })

describe('a model file', () => {
  it.each(modelNames)('of %s can grow and train after it is loaded', (name) => {
    const { model } = loadModel(engine, saveModel({ model: open(name), itemNames }))
    model.addItems(5)
    expect(model.itemCount).toBe(9)
    const again = loadModel(
      engine,
      saveModel({ model, itemNames: [...itemNames, 'e', 'f', 'g', 'h', 'i'] }),
    )
    const history = { ...randomHistory(3, createRandom(1)), items: Int32Array.of(8, 0, 5) }
    const [theta, same] = [new Float32Array(4), new Float32Array(4)]
    model.userEmbedding(history, theta)
    again.model.userEmbedding(history, same)
    expect(same).toEqual(theta)
  })

  it('has the same bytes for the same model', () => {
    expect(saveModel({ model: open('tcn'), itemNames })).toEqual(
      saveModel({ model: open('tcn'), itemNames }),
    )
  })

  it('needs a name for each item', () => {
    expect(() => saveModel({ model: open('mlp'), itemNames: ['a'] })).toThrow(
      error('shape-mismatch', 'expected 4 item names, one per item, got 1'),
    )
  })

  it.each([
    [
      'of another format',
      (c: Changeable) => (c.metadata['format'] = 'other'),
      'format ren-model-1',
    ],
    ['without a format', (c: Changeable) => delete c.metadata['format'], 'got none'],
    [
      'without an architecture',
      (c: Changeable) => delete c.metadata['architecture'],
      'architecture',
    ],
    ['of no JSON', (c: Changeable) => (c.metadata['architecture'] = '{'), 'expected JSON'],
    ['of no model', (c: Changeable) => (c.metadata['architecture'] = '[1]'), 'names a model'],
    ['without names', (c: Changeable) => (c.metadata['itemNames'] = '[]'), 'expected 1 rows'],
    ['of names that are none', (c: Changeable) => (c.metadata['itemNames'] = '[1]'), 'a list of'],
    ['of too few names', (c: Changeable) => (c.metadata['itemNames'] = '["a"]'), 'expected 2 rows'],
    [
      'without a tensor',
      (c: Changeable) => c.tensors.delete('network.decoder.bias'),
      'decoder.bias',
    ],
    [
      'of another shape',
      (c: Changeable) =>
        c.tensors.set('network.decoder.bias', { shape: [1, 3], data: new Float32Array(3) }),
      'network.decoder.bias: expected 1 × 4, got 1 × 3',
    ],
    [
      'with a weight that no parameter takes',
      (c: Changeable) => c.tensors.set('network.extra', { shape: [1], data: new Float32Array(1) }),
      'no parameter is called "network.extra"',
    ],
    [
      'with a bias in a model of none',
      (c: Changeable) => c.tensors.set('itemBias', { shape: [5, 1], data: new Float32Array(5) }),
      'no parameter is called "itemBias"',
    ],
    [
      'of a name twice',
      (c: Changeable) => (c.metadata['itemNames'] = '["a","b","c","a"]'),
      'item names must differ, got "a" twice',
    ],
  ])('%s is refused', (_, change, message) => {
    const bytes = changed('gru4rec', change)
    expect(() => loadModel(engine, bytes)).toThrow(error('file-malformed', message))
  })

  it.each([
    ['gru4rec', { dimension: 100_000_000 }],
    ['gru4rec', { dimension: 5 }],
    ['mlp', { hidden: 50_000_000 }],
    ['sasrec', { window: 50_000_000 }],
    ['sasrec', { blocks: 1_000_000_000 }],
    ['tcn', { levels: 1_000_000_000 }],
    ['tcn', { taps: 10_000_000 }],
  ])('of %s that claims %j allocates no memory for it', async (name, options) => {
    const fresh = await createEngine({ kernel: 'reference' })
    expect(() => loadModel(fresh, claim(name, options))).toThrow(error('file-malformed', ''))
    // The next address is near the start, so little memory was allocated.
    expect(fresh.vector('next', 1).address).toBeLessThan(100_000)
  })

  it('may also hold the state of a recommender, with repeated item names', () => {
    const bytes = changed('gru4rec', ({ tensors, metadata }) => {
      tensors.set('state.removed', { shape: [1], data: Int32Array.of(0) })
      metadata['itemNames'] = '["a","b","c","a"]'
    })
    expect(loadModel(engine, bytes).itemNames).toEqual(['a', 'b', 'c', 'a'])
  })

  it('refuses weights that are not finite', () => {
    const bytes = changed('gru4rec', (contents: Changeable) => {
      ;(contents.tensors.get('items')!.data as Float32Array)[5] = Number.NaN
    })
    expect(() => loadModel(engine, bytes)).toThrow(
      error('non-finite-input', 'items: value 5 is NaN'),
    )
    const model = open('mlp')
    model.network.parameters[0]!.value.values[3] = -Infinity
    expect(() => saveModel({ model, itemNames })).toThrow(
      error('non-finite-input', 'value 3 is -Infinity, expected finite weights'),
    )
  })

  it.each([
    ['tcn', { levels: 4294967296 }],
    ['tcn', { levels: 1e300 }],
    ['tcn', { receptiveField: 7 }],
    ['sasrec', { blocks: 1e300 }],
    ['sasrec', { blocks: -1 }],
    ['sasrec', { heads: 0 }],
    ['gru4rec', { window: 'x' }],
    ['gru4rec', { window: null }],
    ['gru4rec', { window: [6] }],
    ['gru4rec-parity', { cell: 'foo' }],
    ['matrix-factorization', { regularization: null }],
  ])('of %s that claims %j is malformed', (name, options) => {
    expect(() => loadModel(engine, claim(name, options))).toThrow(error('file-malformed', ''))
  })

  it('without an option of its architecture is malformed', () => {
    const bytes = changed('gru4rec', ({ metadata }) => {
      metadata['architecture'] = '{"model":"gru4rec","dimension":4,"window":6}'
    })
    expect(() => loadModel(engine, bytes)).toThrow(
      error('file-malformed', 'expected decoderScale of 0.1, got undefined'),
    )
  })

  it('with changed options loads with these options, or is malformed', () => {
    const anyValue = fc.oneof(
      fc.constantFrom(0, -1, 1, 3, 2 ** 31, 2 ** 32, 1e300, 0.5, 'x', '', 'foo', null, true),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(fc.constantFrom(...modelNames), fc.nat(9), anyValue, (name, at, value) => {
        const said = open(name).architecture.description
        const keys = Object.keys(said)
        const key = keys[at % keys.length]!
        try {
          const { description } = loadModel(engine, claim(name, { [key]: value })).model
            .architecture
          // JSON does not preserve −0.
          const claimed: unknown = JSON.parse(JSON.stringify({ ...said, [key]: value }))
          expect(description).toEqual(claimed)
        } catch (cause) {
          expect(cause).toBeInstanceOf(RenError)
          expect(cause).toMatchObject({ code: 'file-malformed' })
        }
      }),
      { numRuns: 200 },
    )
  })

  it('that claims an unknown option is refused', () => {
    expect(() => loadModel(engine, claim('gru4rec', { hidden: 7 }))).toThrow('no setting hidden')
  })
})

describe('the import of a GRU', () => {
  const tensor = (...shape: number[]): TensorToWrite => ({
    shape,
    data: new Float32Array(shape.reduce((a, b) => a * b, 1)).fill(0.1),
  })
  const tensors = (): Record<string, TensorToWrite> => ({
    table: tensor(4, 3),
    'gru.weight_ih_l0': tensor(9, 3),
    'gru.weight_hh_l0': tensor(9, 3),
    'gru.bias_ih_l0': tensor(9),
    'gru.bias_hh_l0': tensor(9),
  })
  const options: ImportOptions = { items: 'table', gruPrefix: 'gru.', itemNames }
  const load = (change: Record<string, TensorToWrite>, said = options) => {
    const all = new Map(Object.entries({ ...tensors(), ...change }))
    return importGru(engine, writeSafetensors({ tensors: all, metadata: {} }), said)
  }

  it('gives a model with online states that can be saved', () => {
    const { model } = load({})
    expect(model.itemCount).toBe(4)
    expect(model.itemEmbeddings.values.every((value) => value === Math.fround(0.1))).toBe(true)
    const history = { ...randomHistory(2, createRandom(1)), items: Int32Array.of(1, 3) }
    const [theta, followed] = [new Float32Array(3), new Float32Array(3)]
    model.userEmbedding(history, theta)
    model.openState(history)!.theta(followed)
    expect(followed).toEqual(theta)
    const again = loadModel(engine, saveModel({ model, itemNames })).model
    again.userEmbedding(history, followed)
    expect(followed).toEqual(theta)
  })

  it('accepts the names of a GRUCell, with the same result', () => {
    const thetaOf = ({ model }: ReturnType<typeof load>) => {
      const theta = new Float32Array(3)
      const history = { ...randomHistory(2, createRandom(1)), items: Int32Array.of(1, 3) }
      model.userEmbedding(history, theta)
      return theta
    }
    const cell = Object.entries(tensors()).map(
      ([name, value]) => [name.replace('_l0', ''), value] as const,
    )
    const bytes = writeSafetensors({ tensors: new Map(cell), metadata: {} })
    const theta = thetaOf(importGru(engine, bytes, options))
    expect(theta).toEqual(thetaOf(load({})))
    expect(theta.every((value) => value !== 0)).toBe(true)
  })

  it('imports item biases if they are named', () => {
    const bias = { shape: [4], data: Float32Array.of(1, 2, 3, 4) }
    const said = { ...options, itemBias: 'out.bias' }
    expect([...load({ 'out.bias': bias }, said).model.itemBias!.values]).toEqual([1, 2, 3, 4])
    expect([...load({ 'out.bias': bias }).model.itemBias!.values]).toEqual([0, 0, 0, 0])
    expect(() => load({ 'out.bias': tensor(5) }, said)).toThrow(
      error('shape-mismatch', 'tensor "out.bias" must be [4], got [5]'),
    )
    expect(() => load({}, said)).toThrow(error('file-malformed', 'no tensor "out.bias"'))
  })

  it('refuses tensors that do not match', () => {
    expect(() => load({}, { ...options, itemNames: ['a'] })).toThrow(
      error('shape-mismatch', 'expected 4 item names, one per item, got 1'),
    )
    expect(() => load({ table: tensor(4, 2) })).toThrow(
      error('shape-mismatch', 'inputWeights: expected 6 × 2 for embeddings of 2, got 9 × 3'),
    )
    const holed = { ...tensor(4, 3), data: new Float32Array(12).fill(Number.POSITIVE_INFINITY) }
    expect(() => load({ table: holed })).toThrow(error('non-finite-input', 'table: value 0'))
  })
})

describe('the import of embeddings', () => {
  const data = Float32Array.of(3, 4, 0, 1, 1, 0, 2, 2)
  const load = (options = {}, values = data) =>
    importEmbeddings(
      engine,
      writeSafetensors({
        tensors: new Map([['emb.weight', { shape: [4, 2], data: values }]]),
        metadata: {},
      }),
      { items: 'emb.weight', itemNames, ...options },
    )

  it('gives a model that fits users and can be saved', () => {
    const { model } = load({ regularization: 0.1 })
    expect(model.architecture.description).toMatchObject({ model: 'matrix-factorization' })
    expect(model.itemEmbeddings.values).toEqual(data)
    const history = {
      items: Int32Array.of(0),
      rewards: Float32Array.of(2),
      times: Float64Array.of(0),
    }
    const [theta, same] = [new Float32Array(2), new Float32Array(2)]
    model.userEmbedding(history, theta)
    // μ·r/(λ + ‖μ‖²)
    for (const [i, mu] of [3, 4].entries()) expect(theta[i]).toBeCloseTo((mu * 2) / 25.1, 5)
    loadModel(engine, saveModel({ model, itemNames })).model.userEmbedding(history, same)
    expect(same).toEqual(theta)
  })

  it('refuses tensors that do not match', () => {
    expect(() => load({ itemNames: ['a'] })).toThrow(
      error('shape-mismatch', 'expected 4 item names'),
    )
    expect(() => load({ itemNames: ['a', 'b', 'b', 'c'] })).toThrow(
      error('invalid-argument', 'item names must differ, got "b" twice'),
    )
    expect(() => load({ items: 'other' })).toThrow(error('file-malformed', 'no tensor "other"'))
    expect(() => load({}, data.with(2, Number.NaN))).toThrow(
      error('non-finite-input', 'emb.weight: value 2 is NaN'),
    )
  })
})
