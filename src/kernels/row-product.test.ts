// A single row uses another code path of the product than several rows, with the same bits.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { createEngine } from './engine.ts'
import type { Engine } from './engine.ts'
import type { Tensor } from './signature.ts'
import { simdBuilds } from './simd.ts'

describe.each(simdBuilds)('on %s', (kernel) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine({ kernel })
  })
  afterAll(() => engine.close())

  const size = (max: number) => fc.integer({ min: 1, max })

  it('computes a row equally alone and among others', () => {
    const cases = fc.record({
      m: size(14),
      n: size(70),
      k: size(40),
      transposeB: fc.boolean(),
      accumulate: fc.boolean(),
      seed: fc.nat(),
    })
    fc.assert(
      fc.property(cases, ({ m, n, k, transposeB, accumulate, seed }) =>
        engine.scope(({ matrix, part }) => {
          const draw = drawing(seed)
          const a = draw(matrix('a', m, k))
          const b = draw(transposeB ? matrix('b', n, k) : matrix('b', k, n))
          const together = draw(matrix('together', m, n))
          const alone = matrix('alone', m, n)
          alone.values.set(together.values)
          engine.trusted.multiply({ a, b, transposeB, accumulate, out: together })
          for (let row = 0; row < m; row++) {
            const out = part(alone, row, 1)
            engine.trusted.multiply({ a: part(a, row, 1), b, transposeB, accumulate, out })
          }
          expect(bitsOf(alone)).toEqual(bitsOf(together))
        }),
      ),
    )
  })

  it('computes the states of a sequence equally alone and in a batch', () => {
    const cases = fc.record({
      resetBefore: fc.boolean(),
      steps: size(5),
      batch: size(8),
      hidden: size(40),
      seed: fc.nat(),
    })
    fc.assert(
      fc.property(cases, ({ resetBefore, steps, batch, hidden, seed }) =>
        engine.scope(({ matrix }) => {
          const draw = drawing(seed)
          const weights = draw(matrix('weights', 3 * hidden, hidden))
          const bias = draw(matrix('bias', 1, 3 * hidden))
          const forward = (sequences: number, inputs: Tensor, states: Tensor) => {
            const gates = matrix('gates', steps * sequences, 4 * hidden)
            const given = { resetBefore, steps, batch: sequences, inputs, weights, bias }
            engine.trusted.gruForward({ ...given, states, gates })
          }
          const inputs = draw(matrix('inputs', steps * batch, 3 * hidden))
          const states = draw(matrix('states', (steps + 1) * batch, hidden))
          const starts = states.values.slice(0, batch * hidden)
          forward(batch, inputs, states)
          for (let s = 0; s < batch; s++) {
            const own = matrix('own', steps + 1, hidden)
            own.values.set(starts.subarray(s * hidden, (s + 1) * hidden))
            const ownInputs = matrix('own inputs', steps, 3 * hidden)
            ownInputs.values.set(sequenceOf(inputs, s, batch))
            forward(1, ownInputs, own)
            expect([...own.values]).toEqual(sequenceOf(states, s, batch))
          }
        }),
      ),
    )
  })
})

/** Fills a matrix with values around 0. */
function drawing(seed: number): (tensor: Tensor) => Tensor {
  const random = createRandom(seed)
  return (tensor) => {
    for (let i = 0; i < tensor.values.length; i++) tensor.values[i] = 2 * random.uniform() - 1
    return tensor
  }
}

const bitsOf = ({ values }: Tensor): Int32Array => new Int32Array(values.slice().buffer)

/** The rows of one sequence out of a batch. */
function sequenceOf({ values, rows, columns }: Tensor, s: number, batch: number): number[] {
  const steps = Array.from({ length: rows / batch }, (_, t) => (t * batch + s) * columns)
  return steps.flatMap((from) => [...values.subarray(from, from + columns)])
}
