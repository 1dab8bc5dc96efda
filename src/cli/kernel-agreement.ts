// Compares an engine with the reference on a few fixed random cases: one kernel of each kind in which
// models spend their time.

import { createRandom } from '../core/random.ts'
import type { Engine, IndexTensor, KernelName, Tensor } from '../kernels/index.ts'

/** The maximum difference of float32 sums of these lengths. */
export const tolerance = 1e-5

export function compareKernels(engine: Engine, reference: Engine) {
  return (Object.keys(cases) as (keyof typeof cases)[]).map((kernel) => {
    const [actual, expected] = [engine, reference].map((each) => outputsOf(each, cases[kernel]))
    const differences = expected!.map((values, i) => difference(actual![i]!, values))
    const largestDifference = Math.max(...differences)
    // Not `>`, because NaN must count as a disagreement.
    return { kernel, largestDifference, agrees: largestDifference <= tolerance }
  })
}

/** Creates the tensors of one case from one random stream, so that all engines get equal values. */
interface CaseTensors {
  readonly engine: Engine
  normal(name: string, rows: number, columns: number): Tensor
  output(name: string, rows: number, columns: number): Tensor
  indices(name: string, length: number, bound: number): IndexTensor
}

/** Runs a kernel and returns its outputs. */
type Case = (tensors: CaseTensors) => readonly Tensor[]

const cases = {
  multiply({ engine, normal, output }) {
    const out = output('out', 123, 77)
    engine.trusted.multiply({ a: normal('a', 123, 300), b: normal('b', 300, 77), out })
    return [out]
  },

  gruForward({ engine, normal, output }) {
    const [steps, batch, hidden] = [9, 5, 21]
    const states = normal('states', (steps + 1) * batch, hidden)
    const gates = output('gates', steps * batch, 4 * hidden)
    const inputs = normal('inputs', steps * batch, 3 * hidden)
    const weights = normal('weights', 3 * hidden, hidden)
    const bias = normal('bias', 1, 3 * hidden)
    engine.trusted.gruForward({ steps, batch, inputs, weights, bias, states, gates })
    return [states, gates]
  },

  attentionForward({ engine, normal, output }) {
    const [steps, batch, heads, width] = [14, 3, 2, 18]
    const weights = output('weights', batch * heads * steps, steps)
    const out = output('out', steps * batch, width)
    const qkv = normal('qkv', steps * batch, 3 * width)
    engine.trusted.attentionForward({ steps, batch, heads, qkv, weights, out })
    return [weights, out]
  },

  crossEntropyRows({ engine, normal, output, indices }) {
    const [rows, columns] = [31, 203]
    const [logits, losses] = [normal('logits', rows, columns), output('losses', 1, rows)]
    const targets = indices('targets', rows, columns)
    engine.trusted.crossEntropyRows({
      logits,
      targets,
      weights: normal('weights', 1, rows),
      losses,
    })
    return [losses, logits]
  },
} satisfies Partial<Record<KernelName, Case>>

function outputsOf(engine: Engine, run: Case): readonly Float32Array[] {
  const random = createRandom('agreement')
  return engine.scope((temporary) => {
    const tensors: CaseTensors = {
      engine,
      output: temporary.matrix,
      normal(name, rows, columns) {
        const tensor = temporary.matrix(name, rows, columns)
        for (let i = 0; i < rows * columns; i += 1) tensor.values[i] = random.normal()
        return tensor
      },
      indices(name, length, bound) {
        const list = temporary.indices(name, length)
        for (let i = 0; i < length; i += 1) list.values[i] = random.integer(bound)
        return list
      },
    }
    return run(tensors).map(({ values }) => values.slice())
  })
}

/** The largest difference from the reference, relative to the largest value of the reference. */
function difference(actual: Float32Array, expected: Float32Array): number {
  return largest(expected.map((value, i) => value - actual[i]!)) / largest(expected)
}

function largest(values: Float32Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
}
