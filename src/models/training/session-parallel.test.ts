import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../core/random.ts'
import { createEngine } from '../../kernels/index.ts'
import type { Tensor } from '../../kernels/index.ts'
import { gru4recParity } from '../gru4rec-parity.ts'
import { gru4rec } from '../gru4rec.ts'
import { sampled } from '../losses/sampled.ts'
import { adagrad } from '../optimizers/optimizers.ts'
import { createSequenceModel } from '../sequence-model.ts'
import type { Architecture } from '../sequence-model.ts'
import { trainSessionParallel, walkSessions } from './session-parallel.ts'
import { finish } from './train.ts'

/** Sessions in which every event has a distinct item. */
const sessionsOf = (lengths: readonly number[]): Int32Array[] =>
  lengths.map((length, session) => Int32Array.from({ length }, (_, event) => 100 * session + event))
const cases = fc.record({
  lengths: fc.array(fc.nat(6), { maxLength: 12 }),
  lanes: fc.integer({ min: 1, max: 5 }),
})

describe('a walk through sessions', () => {
  it('has every event after the first of its session as a target once, with the previous event as input', () => {
    fc.assert(
      fc.property(cases, ({ lengths, lanes }) => {
        const sessions = sessionsOf(lengths)
        const found: number[] = []
        for (const { inputs, targets } of walkSessions(sessions, lanes)) {
          expect([...targets]).toEqual(Array.from(inputs, (item) => item + 1))
          found.push(...targets)
        }
        const expected = sessions.flatMap((session) => [...session.subarray(1)])
        expect(found.toSorted((a, b) => a - b)).toEqual(expected)
      }),
    )
  })

  it('resets exactly at the first event of a session, and otherwise continues its lane', () => {
    fc.assert(
      fc.property(cases, ({ lengths, lanes }) => {
        let before: number[] = []
        for (const { inputs, from } of walkSessions(sessionsOf(lengths), lanes)) {
          for (const [lane, item] of inputs.entries()) {
            if (item % 100 === 0) expect(from[lane]).toBe(-1)
            else expect(before[from[lane]!]).toBe(item - 1)
          }
          before = [...inputs]
        }
      }),
    )
  })

  it('starts sessions in order and uses all lanes until no session is left', () => {
    fc.assert(
      fc.property(cases, ({ lengths, lanes }) => {
        const playable = lengths.flatMap((length, session) => (length > 1 ? [session] : []))
        const begun: number[] = []
        for (const { inputs, from } of walkSessions(sessionsOf(lengths), lanes)) {
          for (const [lane, item] of inputs.entries()) if (from[lane] === -1) begun.push(item / 100)
          expect(inputs.length).toBeLessThanOrEqual(lanes)
          if (inputs.length < lanes) expect(begun).toEqual(playable)
        }
        expect(begun).toEqual(playable)
      }),
    )
  })
})

describe('session-parallel training', () => {
  const engine = createEngine({ kernel: 'reference' })
  const support = new Float64Array(500).fill(1)
  const loss = sampled({ kind: 'cross-entropy', negatives: 4, support, alpha: 1 })
  const common = { loss, epochs: 2, lanes: 2, random: createRandom(1), clock: () => 0 }

  it('passes each lane its last state, and zeros at the start of a session', async () => {
    const row = ({ values }: Tensor, lane: number) =>
      Array.from(values.subarray(3 * lane, 3 * lane + 3))
    const states: number[][] = []
    const thetas: number[][] = []
    const probe: Architecture = {
      description: { model: 'probe' },
      dimension: 3,
      window: 9,
      withStart: false,
      build: ({ workspace }) => ({
        parameters: [],
        forward(x, { batch, state }) {
          const out = workspace.matrix('out', x.rows, 3)
          out.values.set(x.values.map((value, i) => value + 0.5 * state!.values[i]!))
          for (let lane = 0; lane < batch.sequences; lane++) {
            states.push(row(state!, lane))
            thetas.push(row(out, lane))
          }
          return out
        },
        backward: (dOut) => dOut,
      }),
    }
    const model = createSequenceModel(await engine, probe, 500, createRandom(1))
    const sessions = sessionsOf([3, 2, 1, 4, 2])
    const optimizer = adagrad(model.engine, model.workspace)
    finish(trainSessionParallel(model, sessions, { ...common, optimizer }))
    const epoch: number[][] = []
    let [count, before] = [0, 0]
    for (const { from } of walkSessions(sessions, 2)) {
      const start = count
      for (const lane of from) {
        epoch.push(lane < 0 ? [0, 0, 0] : thetas[before + lane]!)
        count += 1
      }
      before = start
    }
    expect(states.slice(0, count)).toEqual(epoch)
    expect(states).toHaveLength(2 * count)
    expect(states.slice(count, count + 2)).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ])
  })

  it('counts its events, and each step of an epoch', async () => {
    const model = createSequenceModel(await engine, gru4recParity(), 500, createRandom(1))
    const optimizer = adagrad(model.engine, model.workspace)
    const training = trainSessionParallel(model, sessionsOf([3, 2, 1, 4, 2]), {
      ...common,
      optimizer,
    })
    const first = training.next().value
    expect(first).toMatchObject({ epoch: 1, step: 1, steps: 4 })
    expect(finish(training)).toMatchObject({ epochs: 2, steps: 8, events: 14 })
  })

  it.each([
    { kind: 'bpr-max', regularization: 0.5, elu: 1 },
    { kind: 'cross-entropy', logQ: 1 },
  ] as const)('learns transitions by $kind', async (options) => {
    const architecture = gru4recParity({ dimension: 16, hiddenDropout: 0.1 })
    const model = createSequenceModel(await engine, architecture, 40, createRandom(1))
    const sessions = Array.from({ length: 80 }, (_, session) =>
      Int32Array.from({ length: 5 }, (_unused, event) => (7 * session + event) % 40),
    )
    const tailer = sampled({
      negatives: 16,
      support: new Float64Array(40).fill(10),
      alpha: 0.5,
      nominalRows: 8,
      ...options,
    })
    const optimizer = adagrad(model.engine, model.workspace, { rate: 0.1, momentum: 0.2 })
    const epochs = 10
    const training = { ...common, loss: tailer, optimizer, lanes: 8, epochs }
    const walk = trainSessionParallel(model, sessions, training)
    const first = walk.next().value.loss
    expect(finish(walk).loss).toBeLessThan(0.6 * first)
  })

  it('refuses a model with a start vector', async () => {
    const model = createSequenceModel(await engine, gru4rec(), 40, createRandom(1))
    const optimizer = adagrad(model.engine, model.workspace)
    const training = { ...common, optimizer }
    expect(() => trainSessionParallel(model, sessionsOf([3]), training)).toThrow('start vector')
  })

  it('refuses invalid lanes, epochs and items', async () => {
    const model = createSequenceModel(await engine, gru4recParity(), 40, createRandom(1))
    const optimizer = adagrad(model.engine, model.workspace)
    const start = (options: object, sessions = sessionsOf([3])) =>
      trainSessionParallel(model, sessions, { ...common, optimizer, ...options })
    expect(() => start({ lanes: 0 })).toThrow('trainSessionParallel.lanes must be an integer')
    expect(() => start({ epochs: -1 })).toThrow('epochs must be an integer')
    expect(() => start({}, [Int32Array.of(1, 40)])).toThrow(
      expect.objectContaining({ code: 'index-out-of-range' }),
    )
  })
})
