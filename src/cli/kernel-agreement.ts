// Compares an engine with the reference on a few fixed random cases: one kernel of each kind in which
// models spend their time.

import { createRandom } from '../core/random.ts'
import type { Engine, Tensor } from '../kernels/index.ts'

/** The maximum difference of float32 sums of these lengths. */
export const tolerance = 1e-5

export function compareKernels(engine: Engine, reference: Engine) {
  const [actual, expected] = [engine, reference].map(outputsOf)
  return (Object.keys(expected!) as (keyof Outputs)[]).map((kernel) => {
    const differences = expected![kernel].map((values, i) => {
      return difference(actual![kernel][i]!, values)
    })
    const largestDifference = Math.max(...differences)
    // Not `>`, because NaN must count as a disagreement.
    return { kernel, largestDifference, agrees: largestDifference <= tolerance }
  })
}

type Outputs = ReturnType<typeof outputsOf>

/** The outputs of each kernel, for the same inputs on every engine. */
function outputsOf({ scope, trusted }: Engine) {
  const random = createRandom('agreement')
  return scope(({ matrix, indices }) => {
    const normal = (name: string, rows: number, columns: number): Tensor => {
      const tensor = matrix(name, rows, columns)
      for (let i = 0; i < rows * columns; i += 1) tensor.values[i] = random.normal()
      return tensor
    }
    const copies = (...tensors: readonly Tensor[]) => tensors.map(({ values }) => values.slice())

    const product = matrix('product', 123, 77)
    trusted.multiply({ a: normal('a', 123, 300), b: normal('b', 300, 77), out: product })

    const gru = { steps: 9, batch: 5, weights: normal('gru', 63, 21), bias: normal('bias', 1, 63) }
    const [states, gates] = [normal('states', 50, 21), matrix('gates', 45, 84)]
    trusted.gruForward({ ...gru, inputs: normal('inputs', 45, 63), states, gates })

    const [weights, out] = [matrix('weights', 84, 14), matrix('out', 42, 18)]
    const attention = { steps: 14, batch: 3, heads: 2, weights, out }
    trusted.attentionForward({ ...attention, qkv: normal('qkv', 42, 54) })

    const [logits, losses] = [normal('logits', 31, 203), matrix('losses', 1, 31)]
    const targets = indices('targets', 31)
    for (const i of targets.values.keys()) targets.values[i] = random.integer(203)
    trusted.crossEntropyRows({ logits, targets, losses, weights: normal('rows', 1, 31) })

    return {
      multiply: copies(product),
      gruForward: copies(states, gates),
      attentionForward: copies(weights, out),
      crossEntropyRows: copies(losses, logits),
    }
  })
}

/** The largest difference from the reference, relative to the largest value of the reference. */
function difference(actual: Float32Array, expected: Float32Array): number {
  return largest(expected.map((value, i) => value - actual[i]!)) / largest(expected)
}

function largest(values: Float32Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
}
