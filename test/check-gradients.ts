// Compares the backward pass of a layer with finite differences of its forward pass, over random shapes,
// weights and inputs. The loss is a randomly weighted sum of the outputs.

import * as fc from 'fast-check'
import type { Arbitrary, GeneratorValue } from 'fast-check'
import { expect } from 'vitest'
import { createRandom } from '../src/core/random.ts'
import type { Random } from '../src/core/random.ts'
import { createEngine } from '../src/kernels/index.ts'
import type { Engine, Tensor } from '../src/kernels/index.ts'
import type { SequenceBatch } from '../src/models/batch.ts'
import type { Layer, LayerContext, Pass } from '../src/models/layers/layer.ts'
import { createWorkspace } from '../src/kernels/index.ts'

/** A layer to check. */
export interface Subject {
  readonly layer: Layer
  /** Width of the layer's input. */
  readonly inputs: number
  /** The other properties of the pass that the layer reads; dropout draws the same mask each time. */
  readonly pass?: (batch: SequenceBatch) => Partial<Pass>
}

/** Builds the layer from sizes that it draws. */
export type BuildSubject = (context: LayerContext, draw: GeneratorValue) => Subject

export interface CheckOptions {
  readonly runs?: number
  /** The length of the longest sequence; defaults to 5. */
  readonly steps?: number
}

/** A size from 1 to `max`, for `draw`. */
export const upTo = (max: number): Arbitrary<number> => fc.integer({ min: 1, max })

const tolerance = 2e-3

/**
 * Compares ∂loss/∂x and the gradient of every parameter with central differences. Checks that
 * gradients accumulate, and that neither pass writes into its inputs.
 */
export async function checkLayer(build: BuildSubject, options: CheckOptions = {}): Promise<void> {
  const { runs = 30, steps = 5 } = options
  const engine = await createEngine({ kernel: 'reference' })
  const seen = { smooth: 0, all: 0 }
  const property = fc.property(fc.gen(), fc.nat(), (draw, seed) => {
    const random = createRandom(seed)
    const workspace = createWorkspace(engine)
    const context = { engine, name: 'layer', random: random.fork('layer'), workspace }
    const subject = build(context, draw)
    const batch = randomBatch(draw(upTo, steps), draw(upTo, 3), random.fork('batch'))
    for (const [name, { worst, smooth, all }] of Object.entries(
      gradientErrors(engine, subject, batch, random),
    )) {
      expect(worst, `gradient of ${name}`).toBeLessThan(tolerance)
      seen.smooth += smooth
      seen.all += all
    }
  })
  fc.assert(property, { numRuns: runs })
  expect(seen.smooth, 'places where differences can tell').toBeGreaterThan(0.7 * seen.all)
}

/** A batch of sequences with random rewards and increasing times; inputs are small numbers. */
export function randomBatch(steps: number, sequences: number, random: Random): SequenceBatch {
  const positions = steps * sequences
  const times = new Float64Array(positions)
  for (let i = 0; i < positions; i++) {
    const gap = 1000 * Math.exp(3 * random.normal() + 5)
    times[i] = i < sequences ? 0 : times[i - sequences]! + gap
  }
  return {
    steps,
    sequences,
    rows: Int32Array.from({ length: positions }, () => random.integer(4)),
    rewards: Float32Array.from({ length: positions }, () => random.uniform()),
    times,
  }
}

function gradientErrors(
  engine: Engine,
  { layer, inputs, pass }: Subject,
  batch: SequenceBatch,
  random: Random,
): Record<string, Comparison> {
  const fill = ({ values }: Tensor, deviation: number) => {
    for (let i = 0; i < values.length; i++) values[i] = deviation * random.normal()
  }
  const x = engine.matrix('x', batch.rows.length, inputs)
  fill(x, 1)
  for (const { value, gradient } of layer.parameters) {
    fill(value, 0.5)
    fill(gradient, 1)
  }
  const mask = random.fork('mask')
  const forward = () => layer.forward(x, { random: mask.fork('same'), ...pass?.(batch), batch })
  const { rows, columns } = forward()
  const cotangent = engine.matrix('cotangent', rows, columns)
  fill(cotangent, 1)
  const weights = Float64Array.from(cotangent.values)
  const loss = () => forward().values.reduce((sum, out, i) => sum + out * weights[i]!, 0)

  const given = [x, cotangent].map(({ values }) => [...values])
  layer.backward(cotangent) // fills all memory that the backward pass uses
  const before = layer.parameters.map(({ gradient }) => Float64Array.from(gradient.values))
  loss()
  const dX = Float64Array.from(layer.backward(cotangent).values)
  expect([x, cotangent].map(({ values }) => [...values])).toEqual(given)
  const grown = layer.parameters.map(({ name, value, gradient }, p) => {
    const growth = before[p]!.map((start, i) => gradient.values[i]! - start)
    return [name, compare(loss, value, growth)] as const
  })
  return { x: compare(loss, x, dX), ...Object.fromEntries(grown) }
}

interface Comparison {
  /** The largest error of the gradient, relative to its scale. */
  readonly worst: number
  /** The number of values for which differences were conclusive. */
  readonly smooth: number
  readonly all: number
}

// Short, so that a step rarely crosses a kink of ReLU. The float32 rounding of the outputs is then about
// 10⁻⁴ of a slope.
const step = 1 / 256

function compare(loss: () => number, tensor: Tensor, gradient: Float64Array): Comparison {
  const slopes = Array.from(tensor.values, (value, i) => {
    const lossAt = (steps: number): number => {
      tensor.values[i] = value + steps * step
      return loss()
    }
    const [f0, f1, f2] = [lossAt(0), lossAt(1), lossAt(2)]
    const [b1, b2] = [lossAt(-1), lossAt(-2)]
    tensor.values[i] = value
    const near = (f1 - b1) / (2 * step)
    const far = (f2 - b2) / (4 * step)
    // Where the function is smooth, both steps give the same slope, and the curvature grows with the step.
    const [nearBend, farBend] = [(f1 - 2 * f0 + b1) / step, (f2 - 2 * f0 + b2) / step / 2]
    return { slope: (4 * near - far) / 3, kink: [near - far, farBend - 2 * nearBend] }
  })
  const scale = Math.max(0.5, ...slopes.map(({ slope }) => Math.abs(slope)))
  const errors = slopes.flatMap(({ slope, kink }, i) =>
    kink.every((sign) => Math.abs(sign) < (tolerance / 2) * scale)
      ? [Math.abs(slope - gradient[i]!) / scale]
      : [],
  )
  return { worst: Math.max(0, ...errors), smooth: errors.length, all: slopes.length }
}
