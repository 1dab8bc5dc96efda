import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import type { Decision, Objective, ScoredItem } from '../core/types.ts'
import { createEngine, tieHash, type Engine } from '../kernels/index.ts'
import {
  expectedReward,
  itemUncertainty,
  possibleGain,
  rewardDeviation,
} from './expected-rewards.ts'
import { PairMemory } from './pair-memory.ts'
import { createPolicy } from './policies.ts'
import { RewardModel } from './reward-model.ts'

const [rows, columns] = [50, 3]

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})

const requests = fc.record({
  seed: fc.nat(1e6),
  objective: fc.constantFrom<Objective>('sum', 'best'),
  slates: fc.constantFrom(0, 1, 5, 40),
  candidates: fc.constantFrom(null, null, 1, 20),
  excluded: fc.constantFrom(0, 10),
  boosts: fc.constantFrom(0, 0, 4),
  count: fc.integer({ min: 1, max: 12 }),
  weight: fc.constantFrom<number>(0, 0.1, 0.3, 0.5, 0.9, 1),
  share: fc.constantFrom<number>(0, 0.1, 0.25, 0.5, 1, 1),
  rewardSource: fc.constantFrom<'all' | 'slates'>('all', 'slates'),
})
type Request = typeof requests extends fc.Arbitrary<infer T> ? T : never

/** Every third item is a copy of the previous one, so that ties occur. */
function decide({ seed, objective, slates, ...request }: Request): Decision {
  const random = createRandom(seed)
  const items = engine.matrix('items', rows, columns)
  const { values } = items
  for (let i = 0; i < values.length; i++) {
    values[i] = Math.floor(i / columns) % 3 === 2 ? values[i - columns]! : random.normal()
  }
  const memory = new PairMemory()
  const model = new RewardModel(objective, rows)
  for (let visit = 0; visit < slates; visit++) {
    const shown = random.choose(4, rows)
    const isOther = visit % 3 === 0
    const user = isOther ? new PairMemory() : memory
    model.offered(
      user,
      shown,
      Array.from(shown, () => random.normal()),
    )
    const rewards = Array.from(shown, () => (visit % 2 === 0 ? random.uniform() : Number.NaN))
    model.shown(user, { items: shown, rewards })
    if (visit % 2 === 1) model.answered(user, { items: shown, rewards }, 1, random.uniform())
  }
  const { candidates } = request
  return {
    items,
    itemsVersion: 1,
    userEmbedding: Float32Array.from({ length: columns }, () => random.normal()),
    visited: new Int32Array(),
    rewards: new Float32Array(),
    uncertainty: new Float32Array(rows),
    impressions: new Float32Array(rows),
    interactions: Float32Array.from({ length: rows }, () => random.integer(5000)),
    candidates: candidates === null ? null : Int32Array.from(random.choose(candidates, rows)),
    excluded: Int32Array.from(random.choose(request.excluded, rows)),
    boosts:
      request.boosts > 0
        ? new Map(Array.from(random.choose(request.boosts, rows), (k) => [k, random.normal()]))
        : undefined,
    rewardEvidence: slates === 0 ? undefined : model.evidenceOf(memory, slates),
    random: createRandom(seed).fork('request'),
  }
}

/** The slate by the definition: every item is scored by itself. */
function naive(decision: Decision, request: Request): number[] {
  const { objective, count, weight: e, share } = request
  const counted = decision.rewardEvidence ?? new RewardModel(objective, rows).evidenceOf(null, 0)
  const { interactions } = decision
  const evidence = request.rewardSource === 'all' ? counted : { ...counted, interactions }
  const places = new Map(
    Array.from({ length: evidence.pairs.length }, (_, at) => [
      evidence.pairs.columns.items[at]!,
      at,
    ]),
  )
  const seed = decision.random.integer(2 ** 32)
  const eligible = Array.from(
    decision.candidates ?? Array.from({ length: rows }, (_, k) => k),
  ).filter((item) => !decision.excluded.includes(item))
  const boostOf = (item: number) => decision.boosts?.get(item) ?? 0
  const known = eligible.map((item) => {
    const relevance = dot(decision, item)
    const normal = expectedReward(evidence, { item, relevance, place: places.get(item) ?? -1 })
    return { item, ...normal }
  })
  type Known = (typeof known)[0]
  const best = (list: readonly Known[], scoreOf: (one: Known) => number, most: number) =>
    list
      .map((one) => ({ ...one, score: scoreOf(one) + boostOf(one.item) }))
      .toSorted((a, b) => b.score - a.score || tieHash(seed, a.item) - tieHash(seed, b.item))
      .slice(0, most)
  const reward = ({ mean }: Known) => (e < 1 ? mean : 0)
  const gain = e < 1 ? e / (1 - e) : 1
  if (objective === 'sum') {
    const size = Math.min(count, known.length)
    const whole = Math.floor(share * size + 1e-9)
    const exploratory =
      share < 1 ? whole + Number(seed / 2 ** 32 < share * size - whole - 1e-9) : size
    const safe = best(known, ({ mean }) => mean, size - exploratory).map(({ item }) => item)
    const picks = best(
      known.filter(({ item }) => !safe.includes(item)),
      (one) => reward(one) + gain * rewardDeviation(evidence) * itemUncertainty(evidence, one.item),
      exploratory,
    )
    const order = ({ mean, item }: Known) => mean + boostOf(item)
    const ordered = e < 1 ? picks.toSorted((a, b) => order(b) - order(a)) : picks
    return [...safe, ...ordered.map(({ item }) => item)]
  }
  const [incumbent] = best(
    known,
    ({ mean, variance }) => mean - (e > 0 ? 2 * Math.sqrt(variance) : 0),
    1,
  )
  if (incumbent === undefined) return []
  const gains = (one: Known) => possibleGain(evidence, one, incumbent.mean)
  const later = e < 0.5 ? Math.min(1e6, (20 * e) / (1 - 2 * e)) : 1e6
  const weight = e === 1 ? 1 : count === 1 ? gain * Math.max(10, evidence.visits) : later
  const score = (one: Known) => reward(one) + weight * gains(one)
  if (count === 1 || e === 1 || eligible.length === 1)
    return best(known, score, count).map(({ item }) => item)
  const others = known.filter(({ item }) => item !== incumbent.item)
  return [incumbent, ...best(others, score, count - 1)].map(({ item }) => item)
}

/** The relevance as the engine computes it. */
function dot(decision: Decision, item: number): number {
  return engine.scope((temporary) => {
    const vector = temporary.vector('vector', columns)
    const out = temporary.vector('products', rows)
    vector.values.set(decision.userEmbedding)
    engine.trusted.dotRows({ x: decision.items, vector, out })
    return out.values[item]!
  })
}

const policyOf = ({ objective, weight, share, rewardSource }: Request) =>
  createPolicy(engine, 'hierarchical', {
    objective,
    explorationWeight: weight,
    exploratoryShare: share,
    rewardSource,
  })

describe('hierarchical', () => {
  it('picks the slate of its definition', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const decision = decide(request)
        const slate = policyOf(request).choose(decision, request.count)
        const again = { ...decision, random: createRandom(request.seed).fork('request') }
        expect(slate.items.map(({ item }) => item)).toEqual(naive(again, request))
        engine.free(decision.items)
      }),
      { numRuns: 300 },
    )
  })

  it('has scores that are the weighted sums of their terms', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const decision = decide(request)
        const { items, weights } = policyOf(request).choose(decision, request.count)
        expect(weights === undefined).toBe(items.length === 0)
        const { relevanceWeight = 0, diversityWeight = 0, uncertaintyWeight = 0 } = weights ?? {}
        const sumOf = ({
          relevance,
          diversity,
          uncertainty,
          experience = 0,
          boost = 0,
        }: ScoredItem) =>
          relevanceWeight * relevance +
          diversityWeight * diversity +
          uncertaintyWeight * uncertainty +
          experience +
          boost
        for (const item of items) {
          const size = Math.max(1, Math.abs(item.score))
          expect(Math.abs(sumOf(item) - item.score) / size).toBeLessThan(1e-9)
        }
        engine.free(decision.items)
      }),
    )
  })

  it('never has fewer items outside the greedy slate at a larger exploration weight', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const decision = { ...decide(request), boosts: undefined }
        const choose = (weight: number) =>
          policyOf({ ...request, weight }).choose(
            { ...decision, random: createRandom(request.seed) },
            request.count,
          ).items
        const greedy = new Set(choose(0).map(({ item }) => item))
        // With `best`, weight 1 has no incumbent.
        const rising = [0, 0.01, 0.1, 0.3, 0.49, 0.5, 0.7, 0.99]
        if (request.objective === 'sum') rising.push(1)
        const counts = rising.map(
          (weight) => choose(weight).filter(({ item }) => !greedy.has(item)).length,
        )
        expect(counts).toEqual(counts.toSorted((a, b) => a - b))
        expect(counts[0]).toBe(0)
        engine.free(decision.items)
      }),
    )
  })

  it('ranks by relevance without evidence', () => {
    for (const objective of ['sum', 'best'] as const) {
      const request: Request = {
        seed: 3,
        objective,
        slates: 0,
        candidates: null,
        excluded: 0,
        boosts: 0,
        count: 12,
        weight: 0.5,
        share: 1,
        rewardSource: 'all',
      }
      const decision = decide(request)
      const order = (name: 'greedy' | 'hierarchical') =>
        createPolicy(engine, name, name === 'greedy' ? {} : { objective })
          .choose({ ...decision, random: createRandom(1) }, 12)
          .items.map(({ item }) => item)
      expect(order('hierarchical')).toEqual(order('greedy'))
    }
  })

  it('takes another exploration weight per request, and refuses the settings of ren', () => {
    const request = {
      seed: 5,
      objective: 'sum',
      slates: 5,
      candidates: null,
      excluded: 0,
      boosts: 0,
      count: 5,
      weight: 0.5,
      share: 1,
      rewardSource: 'all',
    } as const
    const decision = decide(request)
    const fresh = () => ({ ...decision, random: createRandom(2) })
    const policy = policyOf(request)
    const override = { weights: { explorationWeight: 0.9 } }
    expect(policy.choose(fresh(), 5, override)).toEqual(
      policyOf({ ...request, weight: 0.9 }).choose(fresh(), 5),
    )
    expect(() => policy.choose(fresh(), 5, { slate: 'top' })).toThrow(/slate must be absent/)
    expect(() =>
      policy.choose(fresh(), 5, { weights: { diversityWeight: 1, uncertaintyWeight: 1 } }),
    ).toThrow(/explorationWeight/)
    expect(() => policy.choose(fresh(), 5, { weights: { explorationWeight: 2 } })).toThrow(
      /from 0 to 1/,
    )
  })
})
