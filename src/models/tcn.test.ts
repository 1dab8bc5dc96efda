import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checkCausality,
  checkPadding,
  kernels,
  liveModel,
  randomHistory,
} from '../../test/check-causality.ts'
import { createRandom } from '../core/random.ts'
import { createEngine, createWorkspace } from '../kernels/index.ts'
import { createBatch } from './batch.ts'
import { causalConvolution, receptiveField, tcn } from './tcn.ts'

describe.each(kernels)('a TCN on the %s kernels', (kernel) => {
  it('gives a history the same θ bit for bit in any batch', () =>
    checkPadding(tcn({ dimension: 10, window: 20 }), kernel))

  it('does not depend on later events', () =>
    checkCausality(tcn({ dimension: 10, window: 20 }), kernel))
})

describe('a causal convolution', () => {
  it('accepts any dilation, and ignores taps before the sequence', async () => {
    const engine = await createEngine()
    const context = { engine, name: 'layer', random: createRandom(1) }
    const options = { width: 1, taps: 3, dilation: 2 ** 31 }
    const layer = causalConvolution({ ...context, workspace: createWorkspace(engine) }, options)
    for (const { value } of layer.parameters) value.values.set(value.values.map((_, i) => i + 1))
    const histories = [randomHistory(4, createRandom('history'))]
    const x = engine.matrix('x', 4, 1)
    x.values.fill(2)
    const pass = { batch: createBatch(histories, false), random: null }
    // Only the last tap, with weight 3, and the bias of 1.
    expect([...layer.forward(x, pass).values]).toEqual([7, 7, 7, 7])
  })
})

describe('the receptive field of a TCN', () => {
  it('covers the default window and its start', () => {
    expect(receptiveField(3, 4)).toBe(61)
    expect(tcn().description).toMatchObject({ model: 'tcn', window: 60, receptiveField: 61 })
  })

  it('is exactly the distance over which an event affects θ', async () => {
    const shapes = fc.record({
      taps: fc.integer({ min: 1, max: 4 }),
      levels: fc.integer({ min: 1, max: 3 }),
    })
    const property = fc.asyncProperty(shapes, async ({ taps, levels }) => {
      expect(await furthestReach(taps, levels)).toBe(receptiveField(taps, levels) - 1)
    })
    await fc.assert(property, { numRuns: 8 })
  })
})

/** Returns the distance in steps of the earliest event that affects the last θ of any model. */
async function furthestReach(taps: number, levels: number): Promise<number> {
  const length = receptiveField(taps, levels) + 2
  const architecture = tcn({ dimension: 12, window: length, taps, levels })
  const reaches = [1, 2, 3].map(async (seed) => {
    const model = await liveModel(architecture, 'reference', seed)
    const history = randomHistory(length, createRandom('history'))
    const lastTheta = (items: Int32Array) =>
      model.encode(createBatch([{ ...history, items }], true)).values.slice(-12)
    const before = lastTheta(history.items)
    const earliest = history.items.findIndex((item, event) => {
      const after = lastTheta(history.items.with(event, (item + 1) % model.itemCount))
      return after.some((value, i) => value !== before[i])
    })
    return length - 1 - earliest
  })
  return Math.max(...(await Promise.all(reaches)))
}
