// The policies that learn from a user's rewards, and those with random scores.

import { beforeAll, describe, expect, it } from 'vitest'
import {
  catalogOf,
  decisionOf,
  deviation,
  dimension,
  dot,
  expectSameSlates,
  itemsOf,
  mean,
  rowOf,
} from '../../test/decisions.ts'
import { createRandom } from '../core/random.ts'
import { createEngine, type Engine, type Tensor } from '../kernels/index.ts'
import { createGreedyDppPolicy } from './greedy-dpp.ts'
import { createGreedyPolicy } from './simple-policies.ts'
import { createLinTsPolicy, createLinUcbPolicy, createRenTsPolicy } from './linear-policies.ts'
import { createNeuralUcbPolicy } from './neural-ucb.ts'
import type { ExplorationPolicy, ScoredItem } from './index.ts'

const itemCount = 20

let engine: Engine
let items: Tensor
beforeAll(async () => {
  engine = await createEngine()
  items = catalogOf(engine, itemCount)
})

const invalid = expect.objectContaining({ code: 'invalid-argument' })

describe('LinUCB', () => {
  it('scores by the ridge estimate and the bonus of its definition', () => {
    // Two visits to one item with reward r: by Sherman-Morrison A⁻¹ = I − 2xxᵀ/(1 + 2‖x‖²), so
    // θ̂ = 2r·x/(1 + 2‖x‖²).
    const scale = 1 / mean([...Array(itemCount).keys()].map((k) => Math.hypot(...rowOf(items, k))))
    const x = rowOf(items, 3).map((value) => scale * value)
    const damping = 1 + 2 * dot(x, x)
    const decision = decisionOf(items, {
      visited: Int32Array.of(3, 3),
      rewards: Float32Array.of(0.7, 0.7),
    })
    const slate = createLinUcbPolicy(engine, { bonusWeight: 0.4 }).choose(decision, itemCount)
    for (const { item, score, diversity } of slate.items) {
      const y = rowOf(items, item).map((value) => scale * value)
      const bonus = Math.sqrt(dot(y, y) - (2 * dot(x, y) ** 2) / damping)
      expect(diversity).toBeCloseTo(bonus, 5)
      expect(score).toBeCloseTo((1.4 * dot(x, y)) / damping + 0.4 * bonus, 5)
    }
  })

  it('does not depend on the scale of the embeddings', () => {
    const larger = catalogOf(engine, itemCount, (_, random) => 64 * random.normal())
    const policy = createLinUcbPolicy(engine)
    expect(itemsOf(policy.choose(decisionOf(larger), 8))).toEqual(
      itemsOf(policy.choose(decisionOf(items), 8)),
    )
  })

  it('ignores visits beyond its history cap', () => {
    const capped = createLinUcbPolicy(engine, { historyCap: 1 })
    const last = { visited: Int32Array.of(2), rewards: Float32Array.of(0) }
    expect(capped.choose(decisionOf(items), 8)).toEqual(
      createLinUcbPolicy(engine).choose(decisionOf(items, last), 8),
    )
  })
})

describe('LinTS', () => {
  it('equals LinUCB without a bonus if its posterior scale is 0', () => {
    expectSameSlates(
      createLinTsPolicy(engine, { posteriorScale: 0 }),
      createLinUcbPolicy(engine, { bonusWeight: 0 }),
      items,
    )
  })

  it('draws scores around the estimate with standard deviation v·diversity', () => {
    checkSpread(
      createLinTsPolicy(engine, { posteriorScale: 0.3, propensityDraws: 0 }),
      (pick) => 0.3 * pick.diversity,
    )
  })

  it('estimates propensities, and picks the same slate without them', () => {
    checkEstimates((propensityDraws) => createLinTsPolicy(engine, { propensityDraws }))
  })
})

describe('REN-TS', () => {
  it('is greedy if nothing is uncertain', () => {
    const policy = createRenTsPolicy(engine, { posteriorScale: 0, uncertaintyScale: 0 })
    expectSameSlates(policy, createGreedyPolicy(engine), items)
    const certain = { uncertainty: new Float32Array(itemCount) }
    expectSameSlates(
      createRenTsPolicy(engine, { posteriorScale: 0, propensityDraws: 0 }),
      createGreedyPolicy(engine),
      items,
      certain,
    )
  })

  it('draws scores around the relevance with the uncertainty of user and item', () => {
    const theta = decisionOf(items).userEmbedding
    checkSpread(
      createRenTsPolicy(engine, { uncertaintyScale: 0, propensityDraws: 0 }),
      (pick) => 0.1 * pick.diversity,
    )
    checkSpread(
      createRenTsPolicy(engine, { posteriorScale: 0, propensityDraws: 0 }),
      (pick) => pick.uncertainty * Math.hypot(...theta),
    )
  })

  it('estimates propensities, and picks the same slate without them', () => {
    checkEstimates((propensityDraws) => createRenTsPolicy(engine, { propensityDraws }))
  })
})

describe('NeuralUCB', () => {
  /** Items on a circle with reward 1 if the first two coordinates have equal signs. */
  const circle = () =>
    catalogOf(engine, 24, (at) => {
      const angle = ((Math.floor(at / dimension) + 0.5) * Math.PI) / 12
      return [Math.cos(angle), Math.sin(angle), 0, 0][at % dimension]!
    })
  const worth = (table: Tensor, item: number) =>
    table.values[item * dimension]! * table.values[item * dimension + 1]! > 0 ? 1 : 0

  it('learns a reward that no linear estimate can', () => {
    const table = circle()
    const visited = Int32Array.from({ length: 96 }, (_, i) => i % 24)
    const rewards = Float32Array.from(visited, (item) => worth(table, item))
    const hits = (policy: ExplorationPolicy) =>
      itemsOf(policy.choose(decisionOf(table, { visited, rewards }), 12)).reduce(
        (sum, item) => sum + worth(table, item),
        0,
      )
    expect(hits(createNeuralUcbPolicy(engine, { bonusWeight: 0, steps: 400 }))).toBe(12)
    expect(hits(createLinUcbPolicy(engine, { bonusWeight: 0 }))).toBeLessThan(10)
  })

  it('gives visited items a smaller bonus', () => {
    const table = circle()
    const policy = createNeuralUcbPolicy(engine)
    const bonusOf = (item: number, visits: number) => {
      const visited = new Int32Array(visits).fill(item)
      const decision = decisionOf(table, { visited, rewards: new Float32Array(visits) })
      return policy.choose(decision, 24).items.find((pick) => pick.item === item)!.diversity
    }
    const bonuses = [0, 1, 8, 64].map((visits) => bonusOf(5, visits))
    expect(bonuses).toEqual(bonuses.toSorted((a, b) => b - a))
    expect(bonuses[3]).toBeLessThan(bonuses[0]! * 0.8)
  })
})

it('refuses negative weights and invalid counts', () => {
  expect(() => createLinUcbPolicy(engine, { bonusWeight: -1 })).toThrow(invalid)
  expect(() => createLinTsPolicy(engine, { posteriorScale: -1 })).toThrow(invalid)
  expect(() => createLinTsPolicy(engine, { propensityDraws: 0.5 })).toThrow(invalid)
  expect(() => createRenTsPolicy(engine, { uncertaintyScale: Number.NaN })).toThrow(invalid)
  expect(() => createNeuralUcbPolicy(engine, { unitPairs: 0 })).toThrow(invalid)
  expect(() => createNeuralUcbPolicy(engine, { historyCap: 0 })).toThrow(invalid)
  expect(() => createGreedyDppPolicy(engine, { relevanceWeight: Infinity })).toThrow(invalid)
})

/** Over many requests the standard deviation of an item's score matches its terms. */
function checkSpread(policy: ExplorationPolicy, spread: (pick: ScoredItem) => number): void {
  const candidates = Int32Array.of(11)
  const picks = Array.from({ length: 4000 }, (_, seed) => {
    const decision = decisionOf(items, { candidates, random: createRandom(seed) })
    return policy.choose(decision, 1).items[0]!
  })
  const center = mean(picks.map(({ score }) => score))
  const deviations = Math.sqrt(mean(picks.map(({ score }) => (score - center) ** 2)))
  expect(deviations / spread(picks[0]!)).toBeCloseTo(1, 1)
  if (policy.name === 'ren-ts') {
    expect(Math.abs(center - picks[0]!.relevance)).toBeLessThan(0.1 * deviations)
  }
}

/** The estimates agree with the frequencies over other requests. */
function checkEstimates(create: (propensityDraws: number) => ExplorationPolicy): void {
  const candidates = Int32Array.of(1, 4, 6, 8)
  const draws = 2000
  const recommend = (propensityDraws: number, seed: number) =>
    create(propensityDraws).choose(decisionOf(items, { candidates, random: createRandom(seed) }), 2)
  const [plain, explained] = [recommend(0, 1), recommend(draws, 1)]
  expect(plain.items.every(({ propensity }) => propensity === undefined)).toBe(true)
  expect(itemsOf(explained)).toEqual(itemsOf(plain))
  let slates = Array.from({ length: draws }, (_, seed) => itemsOf(recommend(0, seed)))
  for (const [slot, { item, propensity }] of explained.items.entries()) {
    const agreeing = slates.filter((slate) => slate[slot] === item)
    const share = agreeing.length / slates.length
    // Both sides are estimates from similar numbers of slates.
    const tolerance = 5 * Math.SQRT2 * deviation(share, slates.length) + 1 / slates.length
    expect(Math.abs(propensity! - share)).toBeLessThan(tolerance)
    slates = agreeing
  }
}
