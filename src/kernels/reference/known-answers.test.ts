// Results computed by hand, and properties that hold for every size.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createReferenceEngine, createWorkspace } from '../../../test/kernel-workspace.ts'
import type { Workspace } from '../../../test/kernel-workspace.ts'

const start = (): Workspace => createWorkspace(createReferenceEngine())

const wave = (count: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.sin(1 + 3 * i))

describe('multiply', () => {
  const a = [1, 2, 3, 4]
  const b = [5, 6, 7, 8]
  it.each([
    [0, 0, [19, 22, 43, 50]],
    [0, 1, [17, 23, 39, 53]],
    [1, 0, [26, 30, 38, 44]],
    [1, 1, [23, 31, 34, 46]],
  ])('multiplies with transposes %i and %i', (transposeA, transposeB, product) => {
    const w = start()
    const out = w.output(4)
    const operands = [w.floats(a), w.floats(b)]
    w.kernels.multiply(transposeA, transposeB, 0, 2, 2, 2, ...operands, out)
    expect(w.read(out, 4)).toEqual(product)
    w.kernels.multiply(transposeA, transposeB, 1, 2, 2, 2, ...operands, out)
    expect(w.read(out, 4)).toEqual(product.map((value) => 2 * value))
  })

  it('accepts transposed operands of any shape', () => {
    const w = start()
    const [aT, bT, out] = [w.floats([1, 2, 3]), w.floats([4, 5, 6, 7, 8, 9]), w.output(2)]
    w.kernels.multiply(1, 1, 0, 1, 2, 3, aT, bT, out)
    expect(w.read(out, 2)).toEqual([32, 50])
  })

  it('clears the output of an empty product unless it accumulates', () => {
    const w = start()
    const out = w.floats([1, 2])
    w.kernels.multiply(0, 0, 1, 1, 2, 0, 0, 0, out)
    expect(w.read(out, 2)).toEqual([1, 2])
    w.kernels.multiply(0, 0, 0, 1, 2, 0, 0, 0, out)
    expect(w.read(out, 2)).toEqual([0, 0])
  })
})

describe('embedding rows', () => {
  it('are gathered in the order of the indices, with repeats', () => {
    const w = start()
    const [table, out] = [w.floats([1, 2, 3, 4, 5, 6]), w.output(8)]
    w.kernels.gather(4, 2, 3, table, w.integers([2, 0, 2, 1]), out)
    expect(w.read(out, 8)).toEqual([5, 6, 1, 2, 5, 6, 3, 4])
  })

  it('accumulate all rows scattered to them', () => {
    const w = start()
    const [table, source] = [w.floats([1, 1, 1, 1, 1, 1]), w.floats([1, 2, 3, 4, 5, 6, 7, 8])]
    w.kernels.scatterAdd(4, 2, 3, source, w.integers([2, 0, 2, 2]), table)
    expect(w.read(table, 6)).toEqual([4, 5, 1, 1, 14, 17])
  })

  it('retain the last row written to them', () => {
    const w = start()
    const [table, source] = [w.floats([1, 1, 1, 1, 1, 1]), w.floats([1, 2, 3, 4, 5, 6, 7, 8])]
    w.kernels.scatterRows(4, 2, 3, source, w.integers([2, 0, 2, 2]), table)
    expect(w.read(table, 6)).toEqual([3, 4, 1, 1, 7, 8])
  })

  it('are scored in pairs, and accumulate the gradients of all their pairs', () => {
    const w = start()
    const [rows, items] = [w.floats([1, 2, 3, 4]), w.floats([1, 1, 0, 2, 5, -1])]
    const pairs = [3, 2, 2, 3, rows, items, w.integers([1, 0, 1]), w.integers([2, 1, 1])]
    const [scores, dRows, dItems] = [w.output(3), w.floats([1, 1, 1, 1]), w.zeros(6)]
    w.kernels.scorePairs(...pairs, scores)
    expect(w.read(scores, 3)).toEqual([11, 4, 8])
    w.kernels.scorePairsBackward(...pairs, w.floats([1, 10, 100]), dRows, dItems)
    expect(w.read(dRows, 4)).toEqual([1, 21, 6, 200])
    expect(w.read(dItems, 6)).toEqual([0, 0, 310, 420, 3, 4])
  })
})

describe('scoring', () => {
  it('computes dot products and norms of rows', () => {
    const w = start()
    const [x, out] = [w.floats([3, 4, -6, 8]), w.output(2)]
    w.kernels.dotRows(2, 2, x, w.floats([1, 2]), out)
    expect(w.read(out, 2)).toEqual([11, 10])
    w.kernels.rowNorms(2, 2, x, out)
    expect(w.read(out, 2)).toEqual([5, 10])
  })

  it('computes quadratic forms with the full whitening matrix', () => {
    const w = start()
    const [x, out] = [w.floats([1, 2, 3, -1]), w.output(2)]
    w.kernels.quadraticForms(2, 2, x, w.floats([2, 1, 1, 3]), out)
    expect(w.read(out, 2)).toEqual([16 + 49, 25 + 0])
  })

  it('never lets a form become negative', () => {
    const w = start()
    const forms = w.floats([10, 1])
    w.kernels.rankOneUpdate(2, 2, 0.5, w.floats([1, 1, 2, 0]), w.floats([1, 1]), forms)
    expect(w.read(forms, 2)).toEqual([8, 0])
  })

  it.each([
    [[0, -1e38, 1, 2, 3, 4], 1],
    [[0, 1, 2, 3, 4, NaN], 0],
    [[Infinity, 1, 2, 3, 4, 5], 0],
    [[1, -Infinity, 2, 3, 4, 5], 0],
  ])('reports whether all of %j are finite', (values, answer) => {
    const w = start()
    expect(w.kernels.allFinite(2, 3, w.floats(values))).toBe(answer)
  })
})

describe('elementwise kernels', () => {
  it('add rows, sum rows, scale, multiply, cut at zero and sum squares', () => {
    const w = start()
    const { kernels } = w
    const out = w.floats([1, 2, 3, 4])
    kernels.addRow(2, 2, w.floats([10, -20]), out)
    expect(w.read(out, 4)).toEqual([11, -18, 13, -16])
    kernels.addScaled(2, 2, -2, w.floats([1, 0, 2, -1]), out)
    expect(w.read(out, 4)).toEqual([9, -18, 9, -14])
    const [sum, cut, product] = [w.floats([1, 1]), w.output(4), w.output(4)]
    kernels.sumRows(2, 2, out, sum)
    expect(w.read(sum, 2)).toEqual([19, -31])
    kernels.relu(2, 2, out, cut)
    expect(w.read(cut, 4)).toEqual([9, 0, 9, 0])
    kernels.reluBackward(2, 2, cut, w.floats([1, 2, 3, 4]), product)
    expect(w.read(product, 4)).toEqual([1, 0, 3, 0])
    kernels.multiplyElements(2, 2, out, cut, product)
    expect(w.read(product, 4)).toEqual([81, -0, 81, -0])
    expect(kernels.sumOfSquares(2, 2, out)).toBe(682)
  })
})

describe('the optimizers', () => {
  const filled = (value: number): number[] => Array.from({ length: 6 }, () => value)

  it('update every parameter by the moments of Adam', () => {
    const w = start()
    const [gradient, parameters] = [w.floats(filled(2)), w.floats(filled(1))]
    const [first, second] = [w.floats(filled(2)), w.floats(filled(4))]
    // m = 1 + 1 and v = 3 + 1, so p falls by 0.5·(2/0.5)/(√(4/0.25) + 4).
    w.kernels.adam(2, 3, 0.5, 0.5, 0.75, 4, 0.5, 0.25, gradient, first, second, parameters)
    expect(w.read(first, 6)).toEqual(filled(2))
    expect(w.read(second, 6)).toEqual(filled(4))
    expect(w.read(parameters, 6)).toEqual(filled(0.75))
  })

  it('update every parameter by the accumulator and velocity of Adagrad', () => {
    const w = start()
    const [gradient, parameters] = [w.floats(filled(2)), w.floats(filled(1))]
    const [accumulator, velocity] = [w.floats(filled(1)), w.floats(filled(1))]
    // s = 1 + 4, so v = 0.5·1 − 3·2/√(5 + 4).
    w.kernels.adagrad(2, 3, 3, 4, 0.5, gradient, accumulator, velocity, parameters)
    expect(w.read(accumulator, 6)).toEqual(filled(5))
    expect(w.read(velocity, 6)).toEqual(filled(-1.5))
    expect(w.read(parameters, 6)).toEqual(filled(-0.5))
  })
})

describe('the GRU', () => {
  it.each([
    [0, [1000, -1000, 1000], [1, 0, 1, 0], 1],
    [0, [-1000, 1000, -1000], [0, 1, -1, 0], 0.5],
    [1, [1000, -1000, 1000], [1, 0, 1, 0.5], 0.5],
    [1, [-1000, 1000, -1000], [0, 1, -1, 0], -1],
  ])(
    'saturates its gates without overflow (reset before: %i)',
    (before, inputs, expectedGates, next) => {
      const w = start()
      const [states, gates] = [w.floats([0.5, NaN]), w.output(4)]
      w.kernels.gruForward(before, 1, 1, 1, w.floats(inputs), w.zeros(3), w.zeros(3), states, gates)
      expect(w.read(gates, 4)).toEqual(expectedGates)
      expect(w.read(states, 2)).toEqual([0.5, next])
    },
  )
})

describe('softmax', () => {
  it('does not overflow, and retains the loss of a very unlikely target', () => {
    const w = start()
    const [logits, losses] = [w.floats([1000, 0, -1000, 0]), w.output(2)]
    w.kernels.crossEntropyRows(2, 2, w.integers([1, 1]), w.floats([1, 0.5]), logits, losses)
    expect(w.read(losses, 2)).toEqual([1000, 0])
    expect(w.read(logits, 4)).toEqual([1, -1, 0, 0])
  })
})

describe('causal kernels', () => {
  const [steps, batch, width] = [6, 2, 4]
  const rows = steps * batch

  /**
   * Returns the outputs before and from step `changed`, for inputs and for inputs changed from that
   * step.
   */
  const changeAt = (
    changed: number,
    inWidth: number,
    run: (w: Workspace, x: number, out: number) => void,
  ): { before: number[]; after: number[] }[] => {
    const x = wave(rows * inWidth)
    const moved = x.map((value, i) => (i < changed * batch * inWidth ? value : value + i))
    return [x, moved].map((inputs) => {
      const w = start()
      const out = w.output(rows * width)
      run(w, w.floats(inputs), out)
      const past = changed * batch * width
      const outputs = w.read(out, rows * width)
      return { before: outputs.slice(0, past), after: outputs.slice(past) }
    })
  }

  it.each([1, 2, 3, 4, 5])('do not attend to step %i in earlier steps', (changed) => {
    const [plain, moved] = changeAt(changed, 3 * width, (w, x, out) => {
      const weights = w.output(batch * 2 * steps * steps)
      w.kernels.attentionForward(steps, batch, 2, width, x, weights, out)
    })
    expect(moved!.before).toEqual(plain!.before)
    expect(moved!.after).not.toEqual(plain!.after)
  })

  it('distribute attention over the past and present, with a sum of 1', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.constantFrom(1, 2), (length, heads) => {
        const w = start()
        const weights = w.output(heads * length * length)
        const qkv = w.floats(wave(length * 3 * 2))
        w.kernels.attentionForward(length, 1, heads, 2, qkv, weights, w.output(length * 2))
        for (let row = 0; row < heads * length; row++) {
          const spread = w.read(weights + 4 * row * length, length)
          const i = row % length
          expect(spread.slice(i + 1)).toEqual(spread.slice(i + 1).map(() => 0))
          expect(spread.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 6)
        }
      }),
      { numRuns: 12 },
    )
  })
})
