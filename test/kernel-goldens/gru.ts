// Both GRU cells: PyTorch's own with a tied softmax, and the original one with a regression on rewards.

import { expectClose } from '../kernel-workspace.ts'
import type { Workspace } from '../kernel-workspace.ts'
import { goldens, timeMajor, timeMajorList, total } from './goldens.ts'
import type { Golden } from './goldens.ts'

/** The common parts of both cases: item lookup, projection, and both passes of the cell. */
function createGruCase(
  w: Workspace,
  resetBefore: number,
  items: readonly (readonly number[])[],
  parameters: Readonly<Record<'table' | 'inputWeights' | 'weights', Golden>> & {
    readonly inputBias: readonly number[]
    readonly bias: readonly number[]
  },
) {
  const { kernels } = w
  const [batch, steps] = [items.length, items[0]!.length]
  const [itemCount, width] = parameters.table.shape as [number, number]
  const rows = steps * batch
  const table = w.floats(parameters.table.data)
  const inputWeights = w.floats(parameters.inputWeights.data)
  const weights = w.floats(parameters.weights.data)
  const indices = w.integers(timeMajorList(items))
  const x = w.output(rows * width)
  const inputs = w.output(rows * 3 * width)
  const states = w.zeros((rows + batch) * width)
  const gates = w.output(rows * 4 * width)
  const dStates = w.zeros((rows + batch) * width)
  const dTable = w.zeros(itemCount * width)
  const pastStart = 4 * batch * width

  kernels.gather(rows, width, itemCount, table, indices, x)
  kernels.multiply(0, 1, 0, rows, 3 * width, width, x, inputWeights, inputs)
  kernels.addRow(rows, 3 * width, w.floats(parameters.inputBias), inputs)
  kernels.gruForward(
    resetBefore,
    steps,
    batch,
    width,
    inputs,
    weights,
    w.floats(parameters.bias),
    states,
    gates,
  )
  return {
    rows,
    width,
    itemCount,
    table,
    dTable,
    hidden: states + pastStart,
    /** The loss writes ∂loss/∂h_t here. */
    dHidden: dStates + pastStart,
    backward() {
      const dInputs = w.output(rows * 3 * width)
      const dWeights = w.zeros(3 * width * width)
      const dBias = w.zeros(3 * width)
      const dInputWeights = w.zeros(3 * width * width)
      const dInputBias = w.zeros(3 * width)
      const dX = w.output(rows * width)
      kernels.gruBackward(
        resetBefore,
        steps,
        batch,
        width,
        weights,
        states,
        gates,
        dStates,
        dInputs,
        w.output(rows * 3 * width),
        dWeights,
        dBias,
      )
      kernels.multiply(1, 0, 1, 3 * width, width, rows, dInputs, x, dInputWeights)
      kernels.sumRows(rows, 3 * width, dInputs, dInputBias)
      kernels.multiply(0, 0, 0, rows, width, 3 * width, dInputs, inputWeights, dX)
      kernels.scatterAdd(rows, width, itemCount, dX, indices, dTable)
      return {
        table: w.read(dTable, itemCount * width),
        inputWeights: w.read(dInputWeights, 3 * width * width),
        weights: w.read(dWeights, 3 * width * width),
        inputBias: w.read(dInputBias, 3 * width),
        bias: w.read(dBias, 3 * width),
      }
    },
  }
}

export function checkTiedSoftmax(w: Workspace): void {
  const golden = goldens.gru_reset_after_tied_softmax
  const { E, weight_ih, weight_hh, bias_ih, bias_hh } = golden.params
  const gru = createGruCase(w, 0, golden.items, {
    table: E,
    inputWeights: weight_ih,
    weights: weight_hh,
    inputBias: bias_ih.data,
    bias: bias_hh.data,
  })
  const { rows, itemCount, width } = gru
  expectClose(w.read(gru.hidden, rows * width), timeMajor(golden.hidden))

  const [logits, losses] = [w.output(rows * itemCount), w.output(rows)]
  const targets = w.integers(timeMajorList(golden.targets))
  const weights = w.floats(Array.from({ length: rows }, () => 1 / rows))
  w.kernels.multiply(0, 1, 0, rows, itemCount, width, gru.hidden, gru.table, logits)
  w.kernels.crossEntropyRows(rows, itemCount, targets, weights, logits, losses)
  w.kernels.multiply(0, 0, 0, rows, width, itemCount, logits, gru.table, gru.dHidden)
  w.kernels.multiply(1, 0, 1, itemCount, width, rows, logits, gru.hidden, gru.dTable)
  expectClose([total(w.read(losses, rows)) / rows], [golden.loss])

  const gradients = gru.backward()
  expectClose(gradients.table, golden.grads.E.data)
  expectClose(gradients.inputWeights, golden.grads.weight_ih.data)
  expectClose(gradients.weights, golden.grads.weight_hh.data)
  expectClose(gradients.inputBias, golden.grads.bias_ih.data)
  expectClose(gradients.bias, golden.grads.bias_hh.data)
}

export function checkRewardRegression(w: Workspace): void {
  const golden = goldens.gru_reset_before_reward_regression
  const { E, W, U, b } = golden.params
  const half = b.data.map((value) => value / 2) // The cell has one bias; this kernel has two, so each gets half.
  const gru = createGruCase(w, 1, golden.items, {
    table: E,
    inputWeights: W,
    weights: U,
    inputBias: half,
    bias: half,
  })
  const { rows, itemCount, width, hidden } = gru
  const { kernels } = w
  expectClose(w.read(hidden, rows * width), timeMajor(golden.hidden))

  const scored = w.integers(timeMajorList(golden.scored))
  const scoredRows = w.output(rows * width)
  const products = w.output(rows * width)
  const ones = w.floats(Array.from({ length: width }, () => 1))
  const errors = w.output(rows)
  kernels.gather(rows, width, itemCount, gru.table, scored, scoredRows)
  kernels.multiplyElements(rows, width, scoredRows, hidden, products)
  kernels.multiply(0, 0, 0, rows, 1, width, products, ones, errors)
  const rewards = timeMajor({ ...golden.rewards, shape: [...golden.rewards.shape, 1] })
  kernels.addScaled(1, rows, -1, w.floats(rewards), errors)
  const loss = total(w.read(errors, rows).map((error) => (0.5 * error ** 2) / rows))
  expectClose([loss], [golden.loss])

  const dScores = w.zeros(rows)
  const spread = w.output(rows * width)
  kernels.addScaled(1, rows, 1 / rows, errors, dScores)
  kernels.multiply(0, 0, 0, rows, width, 1, dScores, ones, spread)
  kernels.multiplyElements(rows, width, spread, scoredRows, gru.dHidden)
  kernels.multiplyElements(rows, width, spread, hidden, products)
  kernels.scatterAdd(rows, width, itemCount, products, scored, gru.dTable)

  const gradients = gru.backward()
  expectClose(gradients.table, golden.grads.E.data)
  expectClose(gradients.inputWeights, golden.grads.W.data)
  expectClose(gradients.weights, golden.grads.U.data)
  expectClose(gradients.inputBias, golden.grads.b.data)
  expectClose(gradients.bias, golden.grads.b.data)
}
