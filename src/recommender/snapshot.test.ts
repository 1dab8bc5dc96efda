import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { anyLog, firstItems, someUsers, vectorLength } from '../../test/random-events.ts'
import { contentsOf } from '../../test/state-contents.ts'
import { createRandom } from '../core/random.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import { createLearnedUncertainty, policies } from '../exploration/index.ts'
import { createItemDeviations, createSequenceModel, gru4rec, loadModel } from '../models/index.ts'
import type { ObservedEvent } from './recommender-api.ts'
import { createRecommender, restoreFromParts, restoreRecommender } from './recommender.ts'
import type { Recommender, RecommenderSettings } from './recommender.ts'

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})

const dimension = vectorLength
const maxPerUser = { history: 4, impressions: 9 }
const settingsFor: Readonly<Record<string, () => RecommenderSettings>> = {
  counts: () => ({ policy: policies.ren(engine), maxPerUser }),
  'learned deviations': () => ({
    policy: policies.ren(engine),
    uncertainty: createLearnedUncertainty({ priorDeviation: 0.3 }),
    deviations: (model, observationsOf) =>
      createItemDeviations(model, { priorDeviation: 0.3, observationsOf, priorWeight: 0.01 }),
  }),
}

function open(settings: RecommenderSettings, itemNames: readonly string[] = firstItems) {
  const architecture = gru4rec({ dimension, window: 5, decoderScale: 1 })
  const model = createSequenceModel(engine, architecture, itemNames.length, createRandom(1))
  return createRecommender({ ...settings, model, itemNames, seed: 7 })
}

/** Positions in a log, with gaps for the events of others. */
const numbered = (events: readonly ObservedEvent[], from = 0) =>
  events.map((event, i) => ({ event, number: from + 3 * i + 1 }))
function observeAll(recommender: Recommender, log: ReturnType<typeof numbered>): Recommender {
  for (const { event, number } of log) recommender.observe(event, number)
  return recommender
}
function cutAt(log: ReturnType<typeof numbered>, at: number) {
  const cut = at % (log.length + 1)
  return [log.slice(0, cut), log.slice(cut)] as const
}

/** A recommender after a part of a log, saved in parts, and the rest of the log. */
function savedAt(settings: RecommenderSettings, log: Parameters<typeof numbered>[0], at: number) {
  const [before, after] = cutAt(numbered(log), at)
  const live = observeAll(open(settings), before)
  const state = [...live.saveState({ usersPerPart: 2 })]
  return { live, saved: { weights: live.saveWeights(), state }, after }
}

const answers = (recommender: Recommender) =>
  [...someUsers, 'stranger'].map((user) => recommender.recommend({ user, count: 4 }))
const weightsOf = ({ model }: Recommender) => model.parameters.map(({ value }) => [...value.values])
function expectSame(one: Recommender, other: Recommender): void {
  expect(contentsOf(one.state)).toEqual(contentsOf(other.state))
  expect(weightsOf(one)).toEqual(weightsOf(other))
  expect(answers(one)).toEqual(answers(other))
  expect(one.save()).toEqual(other.save())
}

describe.each(Object.entries(settingsFor))('a recommender with %s', (_, settings) => {
  it('continues in the same way from parts that it owns', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, fc.nat(), async (log, at) => {
        const { live, saved, after } = savedAt(settings(), log, at)
        const restored = await restoreFromParts(engine, saved, settings())
        expectSame(observeAll(restored, after), observeAll(live, after))
      }),
      { numRuns: 20 },
    )
  })

  it('continues in the same way from parts that another recommender shares, and neither writes to them', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, fc.nat(), async (log, at) => {
        const { live, saved, after } = savedAt(settings(), log, at)
        const asSaved = structuredClone(saved.state)
        const [first, second] = [
          await restoreFromParts(engine, saved, settings(), 'shared'),
          await restoreFromParts(engine, saved, settings(), 'shared'),
        ]
        observeAll(first, after).fineTune()
        expectSame(observeAll(second, after), observeAll(live, after))
        expect(saved.state).toEqual(asSaved)
      }),
      { numRuns: 40 },
    )
  })

  it('has the same weights in parts', () => {
    const live = open(settings())
    expect(Buffer.concat([...live.saveWeightsInParts()])).toEqual(Buffer.from(live.saveWeights()))
  })

  it('is restored from its weights and its state in parts of any size', () => {
    fc.assert(
      fc.property(anyLog, fc.integer({ min: 1, max: 4 }), fc.boolean(), (log, size, learns) => {
        const live = observeAll(open(settings()), numbered(log))
        if (learns) live.fineTune()
        const weights = live.saveWeights()
        const state = [...live.saveState({ usersPerPart: size })]
        expect(state).toHaveLength(1 + 5 * Math.ceil(live.state.users.size / size))
        expectSame(restoreRecommender(engine, { weights, state }, settings()), live)
      }),
      { numRuns: 15 },
    )
  })

  it('is restored from a state older than the weights, and the rest of the log', () => {
    fc.assert(
      fc.property(anyLog, fc.nat(), fc.boolean(), (events, at, learns) => {
        const [before, after] = cutAt(numbered(events), at)
        const live = observeAll(open(settings()), before)
        const state = [...live.saveState()]
        observeAll(live, after)
        if (learns) live.fineTune()
        const saved = { weights: live.saveWeights(), state }
        const restored = observeAll(restoreRecommender(engine, saved, settings()), after)
        expect(contentsOf(restored.state)).toEqual(contentsOf(live.state))
        expect(weightsOf(restored)).toEqual(weightsOf(live))
        expectSame(restored, live)
      }),
      { numRuns: 15 },
    )
  })

  it('is restored from weights older than the state, except for what they learned since', () => {
    fc.assert(
      fc.property(anyLog, fc.nat(), fc.boolean(), (events, at, learns) => {
        const [before, after] = cutAt(numbered(events), at)
        const live = observeAll(open(settings()), before)
        if (learns) live.fineTune()
        const weights = live.saveWeights()
        const state = [...observeAll(live, after).saveState()]
        expectSame(restoreRecommender(engine, { weights, state }, settings()), live)
      }),
      { numRuns: 15 },
    )
  })
})

describe('a recommender that starts without items', () => {
  const first: ObservedEvent = { kind: 'items-put', items: firstItems.map((item) => ({ item })) }
  const settings = settingsFor['counts']!

  it('recommends nothing, and the first items as soon as there are any', () => {
    const recommender = open(settings(), [])
    const nothing = { items: [], complete: false, requestNumber: 0 }
    expect(recommender.recommend({ user: 'ann', count: 2 })).toEqual(nothing)
    expect(recommender.fineTune()).toMatchObject({ steps: 0 })
    const saved = { weights: recommender.saveWeights(), state: [...recommender.saveState()] }
    for (const one of [recommender, restoreRecommender(engine, saved, settings())]) {
      one.observe(first)
      expect(one.recommend({ user: 'ann', count: 2 }).complete).toBe(true)
    }
    expect(loadModel(engine, saved.weights).itemNames).toEqual([])
  })

  it('is restored from its weights and the whole log', () => {
    fc.assert(
      fc.property(anyLog, fc.boolean(), (events, learns) => {
        const log = numbered([first, ...events])
        const live = observeAll(open(settings(), []), log)
        if (learns) live.fineTune()
        const saved = { weights: live.saveWeights(), state: null }
        expectSame(observeAll(restoreRecommender(engine, saved, settings()), log), live)
      }),
      { numRuns: 15 },
    )
  })

  it('can have another item in a row than the weights had', () => {
    const live = open(settings(), [])
    live.addItems(['a', 'b'])
    live.model.itemEmbeddings.values.fill(9)
    const saved = { weights: live.saveWeights(), state: null }
    const restored = restoreRecommender(engine, saved, settings())
    restored.addItems(['a', 'c'])
    const { values } = restored.model.itemEmbeddings
    expect([...values.subarray(0, dimension)]).toEqual(Array(dimension).fill(9))
    expect(values.subarray(dimension).every((value) => Math.abs(value) < 1)).toBe(true)
  })
})

describe('new items with vectors', () => {
  it('start there', () => {
    const recommender = open(settingsFor['counts']!())
    const vector = [1, 2, 3, 4, 5, 6]
    recommender.observe({
      kind: 'items-put',
      items: [{ item: 'g', like: ['a'], embedding: vector }],
    })
    const { values } = recommender.model.itemEmbeddings
    expect(values.slice(-dimension)).toEqual(Float32Array.from(vector))
  })

  it('are refused with vectors of another length, and nothing changes', () => {
    const recommender = open(settingsFor['counts']!())
    const before = recommender.save()
    const event: ObservedEvent = { kind: 'items-put', items: [{ item: 'g', embedding: [1, 2] }] }
    expect(() => recommender.observe(event)).toThrow(
      /items\[0\].embedding must hold 6 values, got 2/,
    )
    expect(recommender.save()).toEqual(before)
  })
})

describe('a saved state', () => {
  const malformed = expect.objectContaining({ name: 'RenError', code: 'file-malformed' })
  const events: ObservedEvent[] = someUsers.map((user) => ({
    kind: 'interaction',
    user,
    item: 'a',
    reward: 1,
    time: 1,
  }))
  const saved = () => {
    const live = observeAll(open(settingsFor['counts']!()), numbered(events))
    return { weights: live.saveWeights(), state: [...live.saveState({ usersPerPart: 1 })] }
  }
  const restore = (weights: Uint8Array, state: Iterable<Uint8Array>) =>
    restoreRecommender(engine, { weights, state }, settingsFor['counts']!())

  it('is refused if parts are missing, repeated or not parts', () => {
    const { weights, state } = saved()
    const [, older] = observeAll(open(settingsFor['counts']!()), numbered(events, 5)).saveState({
      usersPerPart: 1,
    })
    const [head, one, ...others] = state as [Uint8Array, Uint8Array, ...Uint8Array[]]
    for (const parts of [
      [],
      [head, one],
      [head, one, one, ...others],
      [one, head, ...others],
      [head, one, ...others, new Uint8Array(20)],
      [head, older!, ...others],
    ]) {
      expect(() => restore(weights, parts)).toThrow(malformed)
    }
    expect(() => restore(head, state)).toThrow(malformed)
    expect(restore(weights, state).state.users.size).toBe(3)
  })

  it('is refused if its item names differ from those of the weights', () => {
    const { state } = saved()
    const other = open(settingsFor['counts']!(), ['u', 'v', 'w', 'x', 'y', 'z']).saveWeights()
    expect(() => restore(other, state)).toThrow(/item names of the weights and of the state differ/)
  })

  it('is refused or still usable if a byte of its numbers has changed', () => {
    const { weights, state } = saved()
    fc.assert(
      fc.property(fc.nat(), fc.nat(255), fc.nat(), (at, byte, which) => {
        const parts = state.map((part) => part.slice())
        const part = parts[which % parts.length]!
        part[at % part.length] = byte
        try {
          answers(restore(weights, parts))
        } catch (error) {
          expect(error).toEqual(expect.objectContaining({ name: 'RenError' }))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('cannot be saved if an event comes between two parts', () => {
    const live = observeAll(open(settingsFor['counts']!()), numbered(events))
    const parts = live.saveState({ usersPerPart: 2 })
    parts.next()
    live.observe(events[0]!)
    expect(() => parts.next()).toThrow(expect.objectContaining({ code: 'stale-state' }))
    expect(() => live.saveState({ usersPerPart: 0 })).toThrow(/usersPerPart/)
  })

  it('belongs to weights that know which events they have learned from', () => {
    const live = observeAll(open(settingsFor['counts']!()), numbered(events))
    live.fineTune()
    const restored = restore(live.saveWeights(), live.saveState())
    expect(restored.hasNewEvents()).toBe(false)
    restored.observe(events[0]!)
    expect(restored.hasNewEvents()).toBe(true)
  })
})

describe('maxPerUser', () => {
  it.each([{ history: 0 }, { impressions: 1.5 }, { history: Number.NaN }])(
    'refuses %o',
    (wrong) => {
      expect(() => open({ policy: policies.greedy(engine), maxPerUser: wrong })).toThrow(
        expect.objectContaining({ code: 'invalid-argument' }),
      )
    },
  )
})
