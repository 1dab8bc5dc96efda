import { beforeAll, describe, expect, it } from 'vitest'

import { checkLayer, upTo } from '../../../test/check-gradients.ts'
import { createRandom } from '../../core/random.ts'
import { createEngine } from '../../kernels/index.ts'
import type { Engine } from '../../kernels/index.ts'
import { createBatch, lastEvents } from '../batch.ts'
import type { SequenceBatch } from '../batch.ts'
import { createWorkspace } from '../../kernels/index.ts'
import { controlSignals } from './control-signals.ts'
import type { Layer } from './layer.ts'

const hour = 3_600_000

describe('control signals', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine()
  })

  /** Returns the signals of each position of a batch, in the order of the layer. */
  function signalsOf(batch: SequenceBatch): number[][] {
    const context = { engine, name: 'controls', random: createRandom(1) }
    const build = (width: number) =>
      controlSignals(
        { ...context, workspace: createWorkspace(engine) },
        { width, sessionGap: hour, contextWidth: 0 },
      )
    const width = build(1).parameters[0]!.value.rows
    const layer = build(width)
    // With the identity as embeddings, the output equals the signals.
    const { values } = layer.parameters[0]!.value
    values.forEach((_, i) => (values[i] = i % (width + 1) === 0 ? 1 : 0))
    const zero = engine.matrix('x', batch.rows.length, width)
    const out = layer.forward(zero, { batch, random: null }).values
    return Array.from({ length: zero.rows }, (_, p) => [
      ...out.subarray(p * width, (p + 1) * width),
    ])
  }

  const historyAt = (times: readonly number[], rewards: readonly number[] = []) => ({
    items: Int32Array.from(times, () => 0),
    rewards: Float32Array.from(times, (_, event) => rewards[event] ?? 1),
    times: Float64Array.from(times),
  })
  const bucketOf = (signals: readonly number[]) => signals.slice(2, -1).indexOf(1)

  it('are one session flag, one gap bucket and the reward', () => {
    for (const row of signalsOf(createBatch([historyAt([5, 9, 9 * hour], [0.25, -1, 3])], false))) {
      expect(row.slice(0, 2).filter((signal) => signal !== 0)).toEqual([1])
      expect(row.slice(2, -1).filter((signal) => signal !== 0)).toEqual([1])
    }
  })

  it('start a session when the gap is reached, and with the first event', () => {
    const times = [0, hour - 1, 2 * hour - 1, 2 * hour, 9 * hour]
    const opens = signalsOf(createBatch([historyAt(times)], false)).map((row) => row[1])
    expect(opens).toEqual([1, 0, 1, 0, 1])
  })

  it('include the reward unchanged', () => {
    const batch = createBatch([historyAt([1, 2, 3], [0.25, -1, 3])], false)
    expect(signalsOf(batch).map((row) => row.at(-1))).toEqual([0.25, -1, 3])
  })

  it('put longer gaps into later buckets, with a separate bucket for the first event', () => {
    const gaps = [0, 1000, 4000, 60_000, hour / 4, hour, 24 * hour, 30 * 24 * hour, 1e12]
    let time = 7
    const times = [time, ...gaps.map((gap) => (time += gap))]
    const [first, ...buckets] = signalsOf(createBatch([historyAt(times)], false)).map(bucketOf)
    expect(buckets).toEqual([...new Set(buckets)].toSorted((a, b) => a - b))
    expect(first).toBeGreaterThan(Math.max(...buckets))
  })

  it('are absent at the start and in the padding', () => {
    const batch = createBatch([historyAt([1, 2]), historyAt([])], true)
    const present = signalsOf(batch).map((row) => row.some((signal) => signal !== 0))
    expect(present).toEqual([false, false, true, false, true, false])
  })

  it('use the time before the batch if it is given', () => {
    const times = [3, 9, 5 * hour]
    const whole = signalsOf(createBatch([historyAt(times)], true)).slice(1)
    const single = times.map((time, event) => {
      const batch = createBatch([historyAt([time])], false)
      const before = times[event - 1] ?? Number.NEGATIVE_INFINITY
      return signalsOf({ ...batch, timesBefore: Float64Array.of(before) })[0]!
    })
    expect(single).toEqual(whole)
  })

  it('have the gradients of finite differences', () =>
    checkLayer((context, draw) => {
      const width = draw(upTo, 4)
      const options = { width, sessionGap: 200_000, contextWidth: 0 }
      return { inputs: width, layer: controlSignals(context, options) }
    }))

  it('have the gradients of finite differences, also with context', () =>
    checkLayer((context, draw) => {
      const [width, contextWidth] = [draw(upTo, 4), draw(upTo, 3)]
      const layer = controlSignals(context, { width, sessionGap: 200_000, contextWidth })
      const withContext = (batch: SequenceBatch): SequenceBatch => ({
        ...batch,
        contexts: Float32Array.from({ length: batch.rows.length * contextWidth }, (_, i) =>
          Math.cos(i),
        ),
      })
      const forward: Layer['forward'] = (x, pass) =>
        layer.forward(x, { ...pass, batch: withContext(pass.batch) })
      return { inputs: width, layer: { ...layer, forward } }
    }))

  it('use the true gap in the last events of a history, with and without a start vector', () => {
    const history = historyAt([3, 9, 5 * hour, 5 * hour + 2, 9 * hour])
    for (const withStart of [true, false]) {
      const whole = signalsOf(createBatch([history], withStart))
      for (let count = 0; count <= 5; count++) {
        const last = signalsOf(createBatch([lastEvents(history, count)], withStart))
        expect(last.slice(last.length - count)).toEqual(whole.slice(whole.length - count))
      }
    }
  })
})
