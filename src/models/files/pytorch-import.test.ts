import { beforeAll, describe, expect, it } from 'vitest'

import { randomHistory } from '../../../test/check-causality.ts'
import { createRandom } from '../../core/random.ts'
import { createEngine, type Engine } from '../../kernels/index.ts'
import { loadModel, saveModel } from './model-file.ts'
import { importEmbeddings, importGru, type ImportOptions } from './pytorch-import.ts'
import { writeSafetensors, type TensorToWrite } from './safetensors.ts'

const itemNames = ['a', 'b', 'c', 'd']
const error = (code: string, message: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(message) })
const tensor = (...shape: number[]): TensorToWrite => ({
  shape,
  data: new Float32Array(shape.reduce((a, b) => a * b, 1)).fill(0.1),
})

let engine: Engine
beforeAll(async () => {
  engine = await createEngine({ kernel: 'reference' })
})

describe('the import of a GRU', () => {
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
      error('shape-mismatch', 'the model needs 4 item names, one per item, got 1'),
    )
    expect(() => load({ table: tensor(4, 2) })).toThrow(
      error('shape-mismatch', 'tensor "gru.weight_ih_l0" must be [6, 2], got [9, 3]'),
    )
    expect(() => load({ 'gru.bias_hh_l0': tensor(1, 9) })).toThrow(
      error('shape-mismatch', 'tensor "gru.bias_hh_l0" must be [9], got [1, 9]'),
    )
    const holed = { ...tensor(4, 3), data: new Float32Array(12).fill(Number.POSITIVE_INFINITY) }
    expect(() => load({ table: holed })).toThrow(error('non-finite-input', 'table: value 0'))
  })

  it('copies every tensor to its place, gates in the order r, z, n', () => {
    const filled = Object.entries(tensors()).map(([name, { shape, data }], part) => {
      return [
        name,
        { shape, data: Float32Array.from({ length: data.length }, (_, i) => 100 * part + i) },
      ] as const
    })
    const { model } = load(Object.fromEntries(filled))
    const values = model.network.parameters.map(({ name, value }) => {
      return [name.slice(name.lastIndexOf('.') + 1), value.values] as const
    })
    const [items, inputWeights, recurrentWeights, inputBias, recurrentBias] = filled.map(
      ([, { data }]) => data,
    )
    expect(model.itemEmbeddings.values).toEqual(items)
    expect(Object.fromEntries(values)).toEqual({
      inputWeights,
      recurrentWeights,
      inputBias,
      recurrentBias,
    })
  })

  it('uses zero for absent biases', () => {
    const some = Object.entries(tensors()).filter(([name]) => !name.includes('bias'))
    const bytes = writeSafetensors({ tensors: new Map(some), metadata: {} })
    const { parameters } = importGru(engine, bytes, options).model.network
    const biases = parameters.filter(({ name }) => name.endsWith('Bias'))
    expect(biases.map(({ value }) => [...value.values])).toEqual([
      Array<number>(9).fill(0),
      Array<number>(9).fill(0),
    ])
  })

  it('names the missing tensor and lists the existing ones', () => {
    expect(() => load({}, { ...options, gruPrefix: '' })).toThrow(
      error('file-malformed', 'no tensor "weight_ih_l0", there are 5: "gru.bias_hh_l0"'),
    )
  })

  it.each(['gru.weight_ih_l1', 'gru.weight_ih_l0_reverse'])(
    'refuses a GRU with %s, of which it would lose a part',
    (name) => {
      expect(() => load({ [name]: tensor(9, 3) })).toThrow(error('file-malformed', name))
    },
  )
})

describe('the import of embeddings', () => {
  const data = Float32Array.of(3, 4, 0, 1, 1, 0, 2, 2)
  const loadTable = (table: TensorToWrite, options = {}) =>
    importEmbeddings(
      engine,
      writeSafetensors({ tensors: new Map([['emb.weight', table]]), metadata: {} }),
      { items: 'emb.weight', itemNames, ...options },
    )
  const load = (options = {}, values = data) => loadTable({ shape: [4, 2], data: values }, options)

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
      error('shape-mismatch', 'the model needs 4 item names'),
    )
    expect(() => load({ itemNames: ['a', 'b', 'b', 'c'] })).toThrow(
      error('invalid-argument', 'item names must differ, got "b" twice'),
    )
    expect(() => load({ items: 'other' })).toThrow(error('file-malformed', 'no tensor "other"'))
    expect(() => load({}, data.with(2, Number.NaN))).toThrow(
      error('non-finite-input', 'emb.weight: value 2 must be a finite weight, got NaN'),
    )
  })

  it('accepts a table of any floating-point type', () => {
    const { model } = loadTable({ shape: [4, 2], data: Float64Array.from(data) })
    expect(model.itemEmbeddings.values).toEqual(data)
  })

  it('refuses tensors that are not a floating-point table', () => {
    const refusal = (got: string) =>
      error('shape-mismatch', `tensor "emb.weight" must be [items, dimension], got [${got}]`)
    expect(() => loadTable({ shape: [2], data: Float32Array.of(1, 2) })).toThrow(refusal('2'))
    expect(() => loadTable({ shape: [2 ** 40, 0], data: new Float32Array() })).toThrow(
      refusal('1099511627776, 0'),
    )
    expect(() => loadTable({ shape: [4, 1], data: Int32Array.of(1, 2, 3, 4) })).toThrow(
      error('file-malformed', 'floating-point'),
    )
  })
})
