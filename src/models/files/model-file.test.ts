import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { randomHistory } from '../../../test/check-causality.ts'
import { RenError } from '../../core/errors.ts'
import { createRandom } from '../../core/random.ts'
import { createEngine } from '../../kernels/index.ts'
import type { Engine } from '../../kernels/index.ts'
import { createArchitecture, modelNames } from '../architectures.ts'
import { createSequenceModel } from '../sequence-model.ts'
import { loadModel, saveModel } from './model-file.ts'
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
      error('shape-mismatch', 'the model needs 4 item names, one per item, got 1'),
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
    ['of no JSON', (c: Changeable) => (c.metadata['architecture'] = '{'), 'must be JSON'],
    ['of no model', (c: Changeable) => (c.metadata['architecture'] = '[1]'), 'names a model'],
    ['without names', (c: Changeable) => (c.metadata['itemNames'] = '[]'), 'must have 1 rows'],
    ['of names that are none', (c: Changeable) => (c.metadata['itemNames'] = '[1]'), 'a list of'],
    [
      'of too few names',
      (c: Changeable) => (c.metadata['itemNames'] = '["a"]'),
      'must have 2 rows',
    ],
    [
      'without a tensor',
      (c: Changeable) => c.tensors.delete('network.decoder.bias'),
      'decoder.bias',
    ],
    [
      'of another shape',
      (c: Changeable) =>
        c.tensors.set('network.decoder.bias', { shape: [1, 3], data: new Float32Array(3) }),
      'network.decoder.bias must be 1 × 4, got 1 × 3',
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
      error('non-finite-input', 'items: value 5 must be a finite weight, got NaN'),
    )
    const model = open('mlp')
    model.network.parameters[0]!.value.values[3] = -Infinity
    expect(() => saveModel({ model, itemNames })).toThrow(
      error('non-finite-input', 'value 3 must be a finite weight, got -Infinity'),
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
      error('file-malformed', 'decoderScale must be 0.1, got undefined'),
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
