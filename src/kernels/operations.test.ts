import { beforeAll, describe, expect, it } from 'vitest'

import { createEngine } from './engine.ts'
import type { Engine } from './engine.ts'
import type { Tensor } from './signature.ts'

const error = (code: string, message: string | RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) })

describe.each(['relaxed-simd', 'simd128', 'reference'] as const)('operations on %s', (kernel) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine({ kernel })
  })

  const filled = (name: string, rows: number, columns: number, value = 1) => {
    const tensor = engine.matrix(name, rows, columns)
    tensor.values.fill(value)
    return tensor
  }

  it('multiplies, reading every size off the arguments', () => {
    const [a, b] = [filled('a', 3, 4), filled('b', 5, 4, 2)]
    const out = engine.matrix('out', 3, 5)
    engine.operations.multiply({ a, b, transposeB: true, out })
    engine.operations.multiply({ a, b, transposeB: true, out, accumulate: true })
    expect([...out.values]).toEqual(Array.from({ length: 15 }, () => 16))
  })

  it('names the argument whose shape is wrong', () => {
    const [a, b, out] = [filled('a', 3, 4), filled('b', 5, 5), filled('out', 3, 5)]
    expect(() => engine.operations.multiply({ a, b, out })).toThrow(
      error('shape-mismatch', 'multiply: b must be 4 × 5, got 5 × 5'),
    )
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'names the argument that holds %s, and where',
    (value) => {
      const x = filled('x', 3, 5)
      x.values[7] = value
      const out = engine.vector('out', 3)
      expect(() => engine.operations.rowNorms({ x, out })).toThrow(
        error('non-finite-input', `rowNorms: x holds ${value} in row 1, column 2`),
      )
    },
  )

  it('reports a result that overflowed', () => {
    const [a, b, out] = [filled('a', 2, 3, 3e38), filled('b', 3, 1, 3e38), filled('out', 2, 1)]
    expect(() => engine.operations.multiply({ a, b, out })).toThrow(
      error('non-finite-result', 'multiply: out overflowed to Infinity'),
    )
  })

  it('leaves values to the caller where they are trusted, but never shapes', () => {
    const x = filled('x', 2, 2, Number.NaN)
    engine.trusted.rowNorms({ x, out: engine.vector('out', 2) })
    expect(() => engine.trusted.rowNorms({ x, out: engine.vector('out', 3) })).toThrow(
      error('shape-mismatch', 'rowNorms: out must be 1 × 2, got 1 × 3'),
    )
  })

  it('names a row number outside its table', () => {
    const [table, out] = [filled('table', 4, 2), filled('out', 3, 2)]
    const indices = engine.indices('indices', 3)
    indices.values.set([0, 4, 1])
    expect(() => engine.trusted.gather({ table, indices, out })).toThrow(
      error('index-out-of-range', /gather: indices\[1\] is 4, expected 0 to 3/),
    )
  })

  it('refuses a selection of more than there is', () => {
    const [indices, values] = [engine.indices('indices', 4), engine.vector('values', 4)]
    expect(() =>
      engine.operations.topN({ scores: engine.vector('scores', 3), indices, values }),
    ).toThrow(error('invalid-argument', 'indices asks for 4 of 3'))
  })

  it('refuses heads that do not divide the width, and sizes that are no size', () => {
    const [qkv, weights, out] = [filled('qkv', 2, 9), filled('weights', 4, 2), filled('out', 2, 3)]
    const call = (steps: number) => () =>
      engine.operations.attentionForward({ steps, batch: 1, heads: 2, qkv, weights, out })
    expect(call(2)).toThrow(error('invalid-argument', 'heads must divide the width of 3, got 2'))
    expect(call(0)).toThrow(error('invalid-argument', 'steps must be a positive integer, got 0'))
  })

  it('refuses a scalar that is not finite', () => {
    const [x, out] = [filled('x', 2, 2), filled('out', 2, 2)]
    expect(() => engine.trusted.addScaled({ scale: Number.NaN, x, out })).toThrow(
      error('non-finite-input', 'scale must be a finite number, got NaN'),
    )
  })

  it('refuses null where a tensor belongs', () => {
    const args = { x: null, out: engine.vector('out', 2) } as unknown as { x: Tensor; out: Tensor }
    expect(() => engine.operations.rowNorms(args)).toThrow(
      error('invalid-argument', 'rowNorms: x must be a matrix, got null'),
    )
  })

  it('refuses a tensor of another engine and one that was freed', async () => {
    const other = await createEngine({ kernel })
    const out = engine.vector('out', 2)
    expect(() => engine.operations.rowNorms({ x: other.matrix('x', 2, 2), out })).toThrow(
      error('use-after-free', 'x was released or belongs to another engine'),
    )
    const freed = engine.matrix('x', 2, 2)
    engine.free(freed)
    expect(() => engine.operations.rowNorms({ x: freed, out })).toThrow(
      error('use-after-free', 'x was released'),
    )
  })
})
