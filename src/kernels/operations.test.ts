import { beforeAll, describe, expect, it } from 'vitest'

import { slateScratch, slateWhitening } from './contract/scoring.ts'
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

  it('multiplies, with all sizes from the arguments', () => {
    const [a, b] = [filled('a', 3, 4), filled('b', 5, 4, 2)]
    const out = engine.matrix('out', 3, 5)
    engine.operations.multiply({ a, b, transposeB: true, out })
    engine.operations.multiply({ a, b, transposeB: true, out, accumulate: true })
    expect([...out.values]).toEqual(Array.from({ length: 15 }, () => 16))
  })

  it('names the argument with the wrong shape', () => {
    const [a, b, out] = [filled('a', 3, 4), filled('b', 5, 5), filled('out', 3, 5)]
    expect(() => engine.operations.multiply({ a, b, out })).toThrow(
      error('shape-mismatch', 'multiply: b must be 4 × 5, got 5 × 5'),
    )
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'names the argument that contains %s, and the place',
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

  it('computes a softmax of large scores without overflow', () => {
    const scores = [1e4, 1e4 + 1, -1e4, 9e3]
    const softmax = scores.map((score) => Math.exp(score - 1e4 - 1) / (1 + Math.exp(-1)))
    const logits = engine.matrix('logits', 1, 4)
    logits.values.set(scores)
    const [targets, weights] = [engine.indices('targets', 1), filled('weights', 1, 1)]
    const losses = engine.vector('losses', 1)
    engine.operations.crossEntropyRows({ targets, weights, logits, losses })
    expect(losses.values[0]).toBeCloseTo(-Math.log(softmax[0]!), 3)
    softmax[0]! -= 1
    expect([...logits.values]).toEqual(softmax.map((value) => expect.closeTo(value, 3)))
  })

  it('never returns a finite result after an internal overflow', () => {
    const large = (name: string, rows: number, columns: number, size: number) => {
      const tensor = engine.matrix(name, rows, columns)
      for (let i = 0; i < rows * columns; i++) tensor.values[i] = size * Math.sin(1 + i)
      return tensor
    }
    const out = engine.matrix('out', 3, 4)
    const norm = { epsilon: 1e-5, gain: filled('gain', 1, 4), bias: filled('bias', 1, 4) }
    const normalize = () => {
      const statistics = engine.matrix('statistics', 3, 2)
      engine.operations.layerNormForward({ ...norm, x: large('x', 3, 4, 1e30), statistics, out })
      return out.values.map((value) => value - 1)
    }
    const attend = () => {
      const qkv = large('qkv', 3, 12, 1e20)
      const weights = engine.matrix('weights', 6, 3)
      engine.operations.attentionForward({ steps: 3, batch: 1, heads: 2, qkv, weights, out })
      return weights.values
    }
    for (const [name, run, square] of [
      ['layerNormForward', normalize, 12],
      ['attentionForward', attend, 6],
    ] as const) {
      // The reference computes in float64, where nothing overflows.
      if (kernel !== 'reference') expect(run).toThrow(error('non-finite-result', name))
      else expect(run().reduce((sum, value) => sum + value ** 2, 0)).toBeCloseTo(square, 3)
    }
  })

  it('returns a NaN loss if a score is NaN', () => {
    const [targets, weights] = [engine.indices('targets', 1), filled('weights', 1, 1)]
    const losses = engine.vector('losses', 1)
    for (const at of [0, 4]) {
      const scores = filled('scores', 1, 5)
      scores.values[at] = Number.NaN
      engine.trusted.crossEntropyRows({ targets, weights, logits: scores, losses })
      expect(losses.values[0]).toBeNaN()
      scores.values.fill(1)
      scores.values[at] = Number.NaN
      engine.trusted.bprMaxRows({
        alpha: 0,
        regularization: 0,
        targets,
        weights,
        scores,
        losses,
      })
      expect(losses.values[0]).toBeNaN()
    }
  })

  it('checks the previous values of an output only if it accumulates', () => {
    const [a, b, out] = [filled('a', 2, 2), filled('b', 2, 2), filled('out', 2, 2, Number.NaN)]
    engine.operations.multiply({ a, b, out })
    expect([...out.values]).toEqual([2, 2, 2, 2])
    out.values[3] = Number.NaN
    expect(() => engine.operations.multiply({ a, b, out, accumulate: true })).toThrow(
      error('non-finite-input', 'multiply: out holds NaN in row 1, column 1'),
    )
  })

  it('reports whether values are finite instead of refusing them', () => {
    const x = filled('x', 3, 5)
    expect(engine.operations.allFinite({ x })).toBe(1)
    x.values[14] = Number.NEGATIVE_INFINITY
    expect(engine.operations.allFinite({ x })).toBe(0)
  })

  it('adds a matrix to itself, but refuses a partial overlap', () => {
    const out = filled('out', 3, 2)
    engine.operations.addScaled({ scale: 2, x: out, out })
    expect([...out.values]).toEqual([3, 3, 3, 3, 3, 3])
    const [x, next] = [engine.part(out, 0, 2), engine.part(out, 1, 2)]
    expect(() => engine.operations.addScaled({ scale: 2, x, out: next })).toThrow(
      error('invalid-argument', 'addScaled: out overlaps x in memory'),
    )
  })

  it('does not check values in trusted calls, but always checks shapes', () => {
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
      error('index-out-of-range', /gather: indices\[1\] must be from 0 to 3, got 4/),
    )
  })

  it('refuses to select more than there are', () => {
    const [items, picks] = [filled('items', 3, 2), engine.indices('picks', 4)]
    const [user, row] = [filled('user', 1, 2), filled('row', 1, 3)]
    const tensors = { items, user, history: user, uncertainty: row, bounds: row, picks }
    const own = {
      labels: engine.indices('labels', 3),
      whitening: engine.vector('whitening', slateWhitening(2)),
      scratch: engine.vector('scratch', slateScratch(3, 2)),
      terms: engine.matrix('terms', 4, 3),
    }
    const scalars = { diversityWeight: 1, uncertaintyWeight: 1, slack: 0, tieSeed: 1 }
    expect(() => engine.operations.pickSlate({ ...tensors, ...own, ...scalars })).toThrow(
      error('invalid-argument', 'picks must have at most 3 entries, got 4'),
    )
  })

  it('refuses heads that do not divide the width, and invalid sizes', () => {
    const [qkv, weights, out] = [filled('qkv', 2, 9), filled('weights', 4, 2), filled('out', 2, 3)]
    const call = (steps: number) => () =>
      engine.operations.attentionForward({ steps, batch: 1, heads: 2, qkv, weights, out })
    expect(call(2)).toThrow(error('invalid-argument', 'heads must divide the width of 3, got 2'))
    expect(call(0)).toThrow(error('invalid-argument', 'steps must be a positive integer below'))
  })

  it('refuses a scalar that is not finite', () => {
    const [x, out] = [filled('x', 2, 2), filled('out', 2, 2)]
    expect(() => engine.trusted.addScaled({ scale: Number.NaN, x, out })).toThrow(
      error('non-finite-input', 'scale must be a finite number, got NaN'),
    )
  })

  it('refuses null instead of a tensor', () => {
    const args = { x: null, out: engine.vector('out', 2) } as unknown as { x: Tensor; out: Tensor }
    expect(() => engine.operations.rowNorms(args)).toThrow(
      error('invalid-argument', 'rowNorms: x must be a matrix, got null'),
    )
  })

  it('refuses a tensor of another engine and a freed tensor', async () => {
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
