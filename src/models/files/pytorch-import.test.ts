import { describe, expect, it } from 'vitest'

import { createRandom } from '../../core/random.ts'
import { createEngine } from '../../kernels/index.ts'
import { embeddingsFrom, gruFromPyTorch } from './pytorch-import.ts'
import type { GruWeights } from './pytorch-import.ts'
import { readSafetensors, writeSafetensors } from './safetensors.ts'
import type { TensorFile, TensorToWrite } from './safetensors.ts'

const error = (code: string, message: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(message) })

const floats = (shape: readonly number[], values: readonly number[]): TensorToWrite => ({
  shape,
  data: Float32Array.from(values),
})

const fileOf = (tensors: Record<string, TensorToWrite>): TensorFile =>
  readSafetensors(writeSafetensors({ tensors: new Map(Object.entries(tensors)), metadata: {} }))

/** One input and two units; each value encodes its gate (r 1, z 2, n 3), unit and column. */
const byHand = {
  'gru.weight_ih_l0': floats([6, 1], [11, 12, 21, 22, 31, 32]),
  'gru.weight_hh_l0': floats(
    [6, 2],
    [11.1, 11.2, 12.1, 12.2, 21.1, 21.2, 22.1, 22.2, 31.1, 31.2, 32.1, 32.2],
  ),
  'gru.bias_ih_l0': floats([6], [-11, -12, -21, -22, -31, -32]),
  'gru.bias_hh_l0': floats([6], [0.11, 0.12, 0.21, 0.22, 0.31, 0.32]),
}

describe("the import of PyTorch's GRU", () => {
  it('imports weights in the order r, z, n unchanged', () => {
    const { inputWeights, recurrentWeights, inputBias, recurrentBias } = gruFromPyTorch(
      fileOf(byHand),
      'gru.',
    )
    const data = (part: keyof typeof byHand) => byHand[part].data
    expect(inputWeights).toEqual({ rows: 6, columns: 1, values: data('gru.weight_ih_l0') })
    expect(recurrentWeights).toEqual({ rows: 6, columns: 2, values: data('gru.weight_hh_l0') })
    expect(inputBias).toEqual({ rows: 1, columns: 6, values: data('gru.bias_ih_l0') })
    expect(recurrentBias).toEqual({ rows: 1, columns: 6, values: data('gru.bias_hh_l0') })
  })

  it('reorders the blocks of z, r, n', () => {
    const gru = gruFromPyTorch(fileOf(byHand), 'gru.', { gateOrder: 'zrn' })
    expect([...gru.inputWeights.values]).toEqual([21, 22, 11, 12, 31, 32])
    expect(gru.recurrentWeights.values).toEqual(
      Float32Array.of(21.1, 21.2, 22.1, 22.2, 11.1, 11.2, 12.1, 12.2, 31.1, 31.2, 32.1, 32.2),
    )
    expect([...gru.inputBias.values]).toEqual([-21, -22, -11, -12, -31, -32])
    expect(gru.recurrentBias.values).toEqual(Float32Array.of(0.21, 0.22, 0.11, 0.12, 0.31, 0.32))
  })

  it('computes the same for both orders', async () => {
    const [inputs, hidden] = [3, 2]
    const random = createRandom('gates')
    const parts = [
      { part: 'weight_ih_l0', shape: [3 * hidden, inputs] },
      { part: 'weight_hh_l0', shape: [3 * hidden, hidden] },
      { part: 'bias_ih_l0', shape: [3 * hidden] },
      { part: 'bias_hh_l0', shape: [3 * hidden] },
    ].map(({ part, shape }) => {
      const block = () => Array.from({ length: hidden * (shape[1] ?? 1) }, () => random.normal())
      return { part, shape, r: block(), z: block(), n: block() }
    })
    const stacked = (order: 'rzn' | 'zrn') =>
      fileOf(
        Object.fromEntries(
          parts.map(({ part, shape, r, z, n }) => [
            part,
            floats(shape, order === 'rzn' ? [...r, ...z, ...n] : [...z, ...r, ...n]),
          ]),
        ),
      )
    const outputs = await run(gruFromPyTorch(stacked('rzn'), ''))
    const same = await run(gruFromPyTorch(stacked('zrn'), '', { gateOrder: 'zrn' }))
    const mistaken = await run(gruFromPyTorch(stacked('zrn'), ''))
    expect(same).toEqual(outputs)
    expect(mistaken).not.toEqual(outputs)
  })

  it('uses zero for absent biases', () => {
    const { 'gru.weight_ih_l0': inputWeights, 'gru.weight_hh_l0': recurrentWeights } = byHand
    const file = fileOf({ weight_ih_l0: inputWeights, weight_hh_l0: recurrentWeights })
    const zero = { rows: 1, columns: 6, values: new Float32Array(6) }
    expect(gruFromPyTorch(file, '')).toMatchObject({ inputBias: zero, recurrentBias: zero })
  })

  it.each([
    ['gru.weight_hh_l0', [2, 6], '[18, 6], got [2, 6]'],
    ['gru.weight_hh_l0', [12], '[3·hidden, hidden], got [12]'],
    ['gru.weight_ih_l0', [1, 6], '[6, inputs], got [1, 6]'],
    ['gru.bias_ih_l0', [1, 6], '[6], got [1, 6]'],
    ['gru.bias_hh_l0', [3, 2], '[6], got [3, 2]'],
  ] as const)('refuses %s of shape %j', (name, shape, message) => {
    const file = fileOf({ ...byHand, [name]: { shape, data: byHand[name].data } })
    expect(() => gruFromPyTorch(file, 'gru.')).toThrow(
      error('shape-mismatch', `tensor "${name}" must be ${message}`),
    )
  })

  it('refuses units without data', () => {
    const file = fileOf({
      weight_ih_l0: floats([0, 1], []),
      weight_hh_l0: floats([0, 2 ** 40], []),
    })
    expect(() => gruFromPyTorch(file, '')).toThrow(
      error('shape-mismatch', 'tensor "weight_hh_l0" must be [3·hidden, hidden]'),
    )
  })

  it('names the missing tensor and lists the existing ones', () => {
    expect(() => gruFromPyTorch(fileOf(byHand), '')).toThrow(
      error('file-malformed', 'no tensor "weight_hh_l0", there are 4: "gru.bias_hh_l0"'),
    )
  })

  it.each(['gru.weight_ih_l1', 'gru.weight_ih_l0_reverse'])(
    'refuses a GRU with %s, of which it would lose a part',
    (name) => {
      const file = fileOf({
        ...byHand,
        [name]: floats(
          [6, 2],
          Array.from({ length: 12 }, () => 0),
        ),
      })
      expect(() => gruFromPyTorch(file, 'gru.')).toThrow(error('file-malformed', name))
    },
  )

  it('refuses an unknown gate order', () => {
    const options = { gateOrder: 'nzr' as 'zrn' }
    expect(() => gruFromPyTorch(fileOf(byHand), 'gru.', options)).toThrow(
      error('invalid-argument', 'gateOrder must be rzn or zrn, got "nzr"'),
    )
  })
})

describe('the import of embeddings', () => {
  it('accepts a table of any floating-point type', () => {
    const data = Float64Array.of(1, 2, 3, 4, 5, 6)
    expect(embeddingsFrom(fileOf({ items: { shape: [3, 2], data } }), 'items')).toEqual({
      rows: 3,
      columns: 2,
      values: Float32Array.from(data),
    })
  })

  it('refuses tensors that are not a floating-point table', () => {
    const file = fileOf({
      list: floats([2], [1, 2]),
      ids: { shape: [1, 1], data: Int32Array.of(1) },
      claim: floats([2 ** 40, 0], []),
    })
    expect(() => embeddingsFrom(file, 'list')).toThrow(
      error('shape-mismatch', 'tensor "list" must be [items, dimension], got [2]'),
    )
    expect(() => embeddingsFrom(file, 'claim')).toThrow(
      error('shape-mismatch', 'tensor "claim" must be [items, dimension], got [1099511627776, 0]'),
    )
    expect(() => embeddingsFrom(file, 'ids')).toThrow(error('file-malformed', 'floating-point'))
  })
})

/** The states of the GRU over three steps of two sequences, from the reference kernels. */
async function run(gru: GruWeights): Promise<number[]> {
  const [steps, batch] = [3, 2]
  const engine = await createEngine({ kernel: 'reference' })
  const load = (name: keyof GruWeights) => {
    const tensor = engine.matrix(name, gru[name].rows, gru[name].columns)
    tensor.values.set(gru[name].values)
    return tensor
  }
  const inputWeights = load('inputWeights')
  const weights = load('recurrentWeights')
  const x = engine.matrix('x', steps * batch, inputWeights.columns)
  x.values.set(x.values.map((_, i) => Math.sin(i)))
  const inputs = engine.matrix('inputs', x.rows, inputWeights.rows)
  engine.operations.multiply({ a: x, b: inputWeights, transposeB: true, out: inputs })
  engine.operations.addRow({ row: load('inputBias'), out: inputs })
  const states = engine.matrix('states', (steps + 1) * batch, weights.columns)
  const gates = engine.matrix('gates', x.rows, 4 * weights.columns)
  const bias = load('recurrentBias')
  engine.operations.gruForward({ steps, batch, inputs, weights, bias, states, gates })
  return [...states.values]
}
