import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { createRandom } from '../../core/random.ts'
import { createEngine } from '../../kernels/index.ts'
import type { Engine, Tensor } from '../../kernels/index.ts'
import type { SequenceBatch } from '../batch.ts'
import { createWorkspace } from '../../kernels/index.ts'
import type { Layer } from './layer.ts'
import { ridgeFit } from '../matrix-factorization.ts'

const size = { d: fc.integer({ min: 1, max: 6 }), events: fc.integer({ min: 1, max: 12 }) }
const cases = { ...size, seed: fc.nat(), regularization: fc.constantFrom(0.1, 1, 5) }

interface Case {
  readonly d: number
  readonly events: number
  readonly seed: number
  readonly regularization: number
}

describe('a ridge fit', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine({ kernel: 'reference' })
  })

  /** One sequence of events with random items and rewards, after a start vector. */
  function sequenceOf({ d, events, seed, regularization }: Case) {
    const random = createRandom(seed)
    const workspace = createWorkspace(engine)
    const layer = ridgeFit({ engine, name: 'user', random, workspace }, regularization)
    const steps = events + 1
    const x = engine.matrix('x', steps, d)
    x.values.forEach((_, i, values) => (values[i] = random.normal()))
    const batch: SequenceBatch = {
      steps,
      sequences: 1,
      rows: Int32Array.from({ length: steps }, (_, t) => t),
      rewards: Float32Array.from({ length: steps }, () => random.normal()),
      times: new Float64Array(steps),
    }
    return { layer, x, batch }
  }

  const thetaAt = (layer: Layer, x: Tensor, batch: SequenceBatch, step: number): number[] => {
    const { values, columns } = layer.forward(x, { batch, random: null })
    return [...values.subarray(step * columns, (step + 1) * columns)]
  }
  /** μ_sᵀθ − r_s. */
  const errorOf = (x: Tensor, batch: SequenceBatch, theta: readonly number[], s: number) =>
    theta.reduce((sum, value, i) => sum + value * x.values[s * x.columns + i]!, -batch.rewards[s]!)

  it('is zero before the first event', () => {
    const { layer, x, batch } = sequenceOf({ d: 3, events: 2, seed: 1, regularization: 1 })
    expect(thetaAt(layer, x, batch, 0)).toEqual([0, 0, 0])
  })

  it('is the minimum of the objective at each position', () => {
    fc.assert(
      fc.property(fc.record(cases), fc.nat(), (drawn, pick) => {
        const { layer, x, batch } = sequenceOf(drawn)
        const step = 1 + (pick % drawn.events)
        const theta = thetaAt(layer, x, batch, step)
        for (let i = 0; i < drawn.d; i++) {
          let slope = drawn.regularization * theta[i]!
          for (let s = 1; s <= step; s++) {
            slope += x.values[s * drawn.d + i]! * errorOf(x, batch, theta, s)
          }
          expect(Math.abs(slope)).toBeLessThan(1e-4)
        }
      }),
      { numRuns: 50 },
    )
  })

  it('has the exact gradient of its objective with the user fixed', () => {
    fc.assert(
      fc.property(fc.record(cases), (drawn) => {
        const { layer, x, batch } = sequenceOf(drawn)
        const { d, events, regularization } = drawn
        /** min_θ ½λ‖θ‖² + ½Σ_s (μ_sᵀθ − r_s)² over all events, with a new fit of the user. */
        const minimum = (): number => {
          const theta = thetaAt(layer, x, batch, events)
          const squares = theta.reduce((sum, value) => sum + value * value, 0)
          let sum = regularization * squares
          for (let s = 1; s <= events; s++) sum += errorOf(x, batch, theta, s) ** 2
          return sum / 2
        }
        const theta = thetaAt(layer, x, batch, events)
        for (let at = d; at < x.values.length; at++) {
          const held = errorOf(x, batch, theta, Math.floor(at / d)) * theta[at % d]!
          const value = x.values[at]!
          const [above, below] = [1 / 128, -1 / 128].map((step) => {
            x.values[at] = value + step
            return minimum()
          })
          x.values[at] = value
          expect(Math.abs((above! - below!) * 64 - held)).toBeLessThan(5e-3)
        }
      }),
      { numRuns: 30 },
    )
  })

  it('has no gradient by its inputs', () => {
    const { layer, x, batch } = sequenceOf({ d: 2, events: 3, seed: 1, regularization: 1 })
    const out = layer.forward(x, { batch, random: null })
    expect(layer.backward(out).values.every((value) => value === 0)).toBe(true)
  })
})
