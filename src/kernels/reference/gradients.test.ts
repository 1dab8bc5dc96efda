// Compares every backward kernel with finite differences of its forward kernel. The loss is a random
// weighted sum of the outputs. Accumulated gradients start from random values.

import * as fc from 'fast-check'
import type { Arbitrary, GeneratorValue } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createReferenceEngine, createWorkspace } from '../../../test/kernel-workspace.ts'
import type { Workspace } from '../../../test/kernel-workspace.ts'

const tolerance = 1e-3

/** Numbers in [−1, 1] that are exact in float32. */
const values = (count: number): Arbitrary<number[]> =>
  fc.array(
    fc.integer({ min: -64, max: 64 }).map((i) => i / 64),
    { minLength: count, maxLength: count },
  )
const upTo = (max: number): Arbitrary<number> => fc.integer({ min: 1, max })
const indicesBelow = (bound: number, count: number): Arbitrary<number[]> =>
  fc.array(fc.nat({ max: bound - 1 }), { minLength: count, maxLength: count })

/** The source of shapes and numbers of a property, and their memory. */
interface Bench {
  readonly w: Workspace
  readonly draw: GeneratorValue
  /** Places random numbers: an input or a cotangent. */
  place(count: number): number
  /** Places an accumulated gradient. `growth` returns the values that the kernel added. */
  accumulator(count: number): { readonly address: number; growth(): number[] }
}

function checkDraws(property: (bench: Bench) => void): void {
  const w = createWorkspace(createReferenceEngine())
  const body = fc.property(fc.gen(), (draw) =>
    property({
      w,
      draw,
      place: (count) => w.floats(draw(values, count)),
      accumulator(count) {
        const before = draw(values, count)
        const address = w.floats(before)
        return {
          address,
          growth: () => w.read(address, count).map((after, i) => after - before[i]!),
        }
      },
    }),
  )
  fc.assert(body, { numRuns: 60 })
}

/**
 * Returns the relative error of a gradient against differences of the loss. With five points, the
 * differences are accurate for steps that are large compared with the rounding of float32.
 */
function gradientError(
  w: Workspace,
  loss: () => number,
  address: number,
  gradient: readonly number[],
): number {
  const step = 1 / 64
  const numeric = w.read(address, gradient.length).map((value, i) => {
    const lossAt = (moved: number): number => {
      w.write(address + 4 * i, [moved])
      return loss()
    }
    const near = lossAt(value + step) - lossAt(value - step)
    const far = lossAt(value + 2 * step) - lossAt(value - 2 * step)
    w.write(address + 4 * i, [value])
    return (8 * near - far) / (12 * step)
  })
  const scale = Math.max(0.1, ...numeric.map(Math.abs))
  const worst = Math.max(...numeric.map((slope, i) => Math.abs(slope - gradient[i]!)))
  return worst / scale
}

/** Moves a number away from the kink of relu and ELU. */
const offTheKink = (value: number): number => value + (value < 0 ? -1 : 1)

const weigh = (w: Workspace, outputs: number, weights: number, count: number): number => {
  const weight = w.read(weights, count)
  return w.read(outputs, count).reduce((sum, output, i) => sum + output * weight[i]!, 0)
}

describe('the backward kernels are the gradients of', () => {
  it.each([
    ['after', 0],
    ['before', 1],
  ])('the GRU with its reset gate %s the product', (_, resetBefore) => {
    checkDraws(({ w, draw, place, accumulator }) => {
      const [steps, batch, hidden] = [draw(upTo, 3), draw(upTo, 2), draw(upTo, 3)]
      const sizes = [resetBefore, steps, batch, hidden]
      const rows = steps * batch
      const stateCount = (rows + batch) * hidden
      const inputs = place(rows * 3 * hidden)
      const weights = place(3 * hidden * hidden)
      const bias = place(3 * hidden)
      const states = place(stateCount) // the start state comes first and is never written
      const gates = w.output(rows * 4 * hidden)
      const cotangent = place(stateCount)
      const loss = (): number => {
        w.kernels.gruForward(...sizes, inputs, weights, bias, states, gates)
        return weigh(w, states, cotangent, stateCount)
      }

      loss()
      const dStates = w.floats(w.read(cotangent, stateCount))
      const dInputs = w.output(rows * 3 * hidden)
      const dRecurrent = w.output(rows * 3 * hidden)
      const dWeights = accumulator(3 * hidden * hidden)
      const dBias = accumulator(3 * hidden)
      const outputs = [dStates, dInputs, dRecurrent, dWeights.address, dBias.address]
      w.kernels.gruBackward(...sizes, weights, states, gates, ...outputs)
      const recurrentSum = w.zeros(3 * hidden)
      w.kernels.sumRows(rows, 3 * hidden, dRecurrent, recurrentSum)

      expect(gradientError(w, loss, inputs, w.read(dInputs, rows * 3 * hidden))).toBeLessThan(
        tolerance,
      )
      expect(gradientError(w, loss, weights, dWeights.growth())).toBeLessThan(tolerance)
      expect(gradientError(w, loss, bias, dBias.growth())).toBeLessThan(tolerance)
      expect(gradientError(w, loss, bias, w.read(recurrentSum, 3 * hidden))).toBeLessThan(tolerance)
      expect(gradientError(w, loss, states, w.read(dStates, batch * hidden))).toBeLessThan(
        tolerance,
      )
    })
  })

  it('the layer norm', () => {
    checkDraws(({ w, draw, place, accumulator }) => {
      const [rows, columns] = [draw(upTo, 3), draw(upTo, 5)]
      const epsilon = 0.1 // large, because the curvature at rows of equal numbers is too high
      const [x, gain, bias] = [place(rows * columns), place(columns), place(columns)]
      const [out, statistics] = [w.output(rows * columns), w.output(rows * 2)]
      const cotangent = place(rows * columns)
      const loss = (): number => {
        w.kernels.layerNormForward(rows, columns, epsilon, x, gain, bias, out, statistics)
        return weigh(w, out, cotangent, rows * columns)
      }

      loss()
      const dX = accumulator(rows * columns)
      const [dGain, dBias] = [accumulator(columns), accumulator(columns)]
      const outputs = [dX.address, dGain.address, dBias.address]
      w.kernels.layerNormBackward(rows, columns, x, gain, statistics, cotangent, ...outputs)
      expect(gradientError(w, loss, x, dX.growth())).toBeLessThan(tolerance)
      expect(gradientError(w, loss, gain, dGain.growth())).toBeLessThan(tolerance)
      expect(gradientError(w, loss, bias, dBias.growth())).toBeLessThan(tolerance)
    })
  })

  it('causal attention', () => {
    checkDraws(({ w, draw, place }) => {
      const [steps, batch, heads] = [draw(upTo, 4), draw(upTo, 2), draw(upTo, 2)]
      const width = heads * draw(upTo, 2)
      const sizes = [steps, batch, heads, width]
      const rows = steps * batch
      const qkv = place(rows * 3 * width)
      const weights = w.output(batch * heads * steps * steps)
      const out = w.output(rows * width)
      const cotangent = place(rows * width)
      const loss = (): number => {
        w.kernels.attentionForward(...sizes, qkv, weights, out)
        return weigh(w, out, cotangent, rows * width)
      }

      loss()
      const dQkv = w.output(rows * 3 * width)
      w.kernels.attentionBackward(...sizes, qkv, weights, cotangent, dQkv)
      expect(gradientError(w, loss, qkv, w.read(dQkv, rows * 3 * width))).toBeLessThan(tolerance)
    })
  })

  it('the cross-entropy of given logits', () => {
    checkDraws(({ w, draw, place }) => {
      const [rows, columns] = [draw(upTo, 3), draw(upTo, 5)]
      const targets = w.integers(draw(indicesBelow, columns, rows))
      const weights = place(rows)
      const logits = place(rows * columns)
      const replaced = w.output(rows * columns)
      const losses = w.output(rows)
      const loss = (): number => {
        w.write(replaced, w.read(logits, rows * columns))
        w.kernels.crossEntropyRows(rows, columns, targets, weights, replaced, losses)
        return weigh(w, losses, weights, rows)
      }

      loss()
      expect(gradientError(w, loss, logits, w.read(replaced, rows * columns))).toBeLessThan(
        tolerance,
      )
    })
  })

  it.each([
    ['given scores', 0],
    ['scores through an ELU', 1],
  ])('the BPR-max of %s', (_, elu) => {
    checkDraws(({ w, draw, place }) => {
      const [rows, columns] = [draw(upTo, 3), draw(upTo, 5)]
      const targets = w.integers(draw(indicesBelow, columns, rows))
      const weights = place(rows)
      const scores = w.floats(draw(values, rows * columns).map(offTheKink))
      const replaced = w.output(rows * columns)
      const losses = w.output(rows)
      const loss = (): number => {
        w.write(replaced, w.read(scores, rows * columns))
        w.kernels.bprMaxRows(elu, rows, columns, 0.5, 0.9, targets, weights, replaced, losses)
        return weigh(w, losses, weights, rows)
      }

      loss()
      const gradient = w.read(replaced, rows * columns)
      expect(gradientError(w, loss, scores, gradient)).toBeLessThan(tolerance)
    })
  })

  it('the scores of pairs', () => {
    checkDraws(({ w, draw, place, accumulator }) => {
      const [count, width] = [draw(upTo, 5), draw(upTo, 3)]
      const [rowCount, itemCount] = [draw(upTo, 3), draw(upTo, 3)]
      const [rows, items] = [place(rowCount * width), place(itemCount * width)]
      const rowIndices = w.integers(draw(indicesBelow, rowCount, count))
      const itemIndices = w.integers(draw(indicesBelow, itemCount, count))
      const pairs = [count, width, rowCount, itemCount, rows, items, rowIndices, itemIndices]
      const [scores, cotangent] = [w.output(count), place(count)]
      const loss = (): number => {
        w.kernels.scorePairs(...pairs, scores)
        return weigh(w, scores, cotangent, count)
      }

      const [dRows, dItems] = [accumulator(rowCount * width), accumulator(itemCount * width)]
      w.kernels.scorePairsBackward(...pairs, cotangent, dRows.address, dItems.address)
      expect(gradientError(w, loss, rows, dRows.growth())).toBeLessThan(tolerance)
      expect(gradientError(w, loss, items, dItems.growth())).toBeLessThan(tolerance)
    })
  })

  it('relu', () => {
    checkDraws(({ w, draw, place }) => {
      const [rows, columns] = [draw(upTo, 3), draw(upTo, 5)]
      const x = w.floats(draw(values, rows * columns).map(offTheKink))
      const [y, dX] = [w.output(rows * columns), w.output(rows * columns)]
      const cotangent = place(rows * columns)
      const loss = (): number => {
        w.kernels.relu(rows, columns, x, y)
        return weigh(w, y, cotangent, rows * columns)
      }

      loss()
      w.kernels.reluBackward(rows, columns, y, cotangent, dX)
      expect(gradientError(w, loss, x, w.read(dX, rows * columns))).toBeLessThan(tolerance)
    })
  })
})
