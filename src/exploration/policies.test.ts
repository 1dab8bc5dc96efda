import { beforeAll, describe, expect, it } from 'vitest'
import {
  catalogueOf,
  decisionOf,
  deviation,
  dimension,
  itemsOf,
  newcomer,
} from '../../test/decisions.ts'
import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import type { Engine, Tensor } from '../kernels/index.ts'
import {
  createChampionRandomPolicy,
  createEpsilonGreedyPolicy,
  createGreedyDppPolicy,
  createGreedyPolicy,
  createLinTsPolicy,
  createLinUcbPolicy,
  createNeuralUcbPolicy,
  createPopularityPolicy,
  createRandomPolicy,
  createRenTsPolicy,
} from './index.ts'
import type { Decision, ExplorationPolicy } from './index.ts'

const itemCount = 20

let engine: Engine
let items: Tensor
beforeAll(async () => {
  engine = await createEngine()
  items = catalogueOf(engine, itemCount)
})

const rowOf = (table: Tensor, item: number): number[] => [
  ...table.values.subarray(item * dimension, (item + 1) * dimension),
]
const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a, (value, j) => value * b[j]!).reduce((sum, product) => sum + product, 0)
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
const invalid = expect.objectContaining({ code: 'invalid-argument' })

/** The slates of two policies for the same requests. */
function expectSameSlates(
  one: ExplorationPolicy,
  other: ExplorationPolicy,
  changes: Partial<Decision> = {},
) {
  for (let seed = 0; seed < 10; seed++) {
    const [a, b] = [one, other].map((policy) =>
      itemsOf(policy.choose(decisionOf(items, { ...changes, random: createRandom(seed) }), 8)),
    )
    expect(a).toEqual(b)
  }
}

describe('greedy', () => {
  it('takes the most relevant items in falling order', () => {
    const decision = decisionOf(items)
    const relevance = (item: number) => dot(rowOf(items, item), decision.userEmbedding)
    const order = [...Array(itemCount).keys()].toSorted((a, b) => relevance(b) - relevance(a))
    expect(itemsOf(createGreedyPolicy(engine).choose(decision, 7))).toEqual(order.slice(0, 7))
  })
})

describe('popularity', () => {
  it('takes what was taken most', () => {
    const slate = createPopularityPolicy(engine).choose(decisionOf(items), 3)
    expect(itemsOf(slate)).toEqual([19, 18, 17])
    expect(slate.items.map(({ score }) => score)).toEqual([19, 18, 17])
  })

  it('refuses counts that are not finite', () => {
    const takes = new Float32Array(itemCount).fill(Number.NaN)
    const choose = () => createPopularityPolicy(engine).choose(decisionOf(items, { takes }), 3)
    expect(choose).toThrow(expect.objectContaining({ code: 'non-finite-result' }))
  })
})

describe('ε-greedy', () => {
  it('is greedy at ε = 0 and random at ε = 1', () => {
    expectSameSlates(createEpsilonGreedyPolicy(engine, { epsilon: 0 }), createGreedyPolicy(engine))
    const slate = createEpsilonGreedyPolicy(engine, { epsilon: 1 }).choose(decisionOf(items), 3)
    expect(slate.items.map(({ propensity }) => propensity)).toEqual([1 / 20, 1 / 19, 1 / 18])
  })

  it('differs from greedy in a share of about ε of the slots', () => {
    const policy = createEpsilonGreedyPolicy(engine, { epsilon: 0.3 })
    const [best] = itemsOf(createGreedyPolicy(engine).choose(decisionOf(items), 1))
    const draws = 2000
    let missed = 0
    for (let seed = 0; seed < draws; seed++) {
      const slate = policy.choose(decisionOf(items, { random: createRandom(seed) }), 1)
      if (slate.items[0]!.item !== best) missed += 1
    }
    const expected = 0.3 * (1 - 1 / itemCount)
    expect(Math.abs(missed / draws - expected)).toBeLessThan(5 * deviation(expected, draws))
  })

  it('refuses an ε that is no chance', () => {
    for (const epsilon of [-0.1, 1.1, Number.NaN]) {
      expect(() => createEpsilonGreedyPolicy(engine, { epsilon })).toThrow(invalid)
    }
  })
})

describe('champion-random', () => {
  it('puts what the user took last first, where it may be picked', () => {
    const policy = createChampionRandomPolicy(engine)
    expect(itemsOf(policy.choose(decisionOf(items), 4))[0]).toBe(2)
    const listed = decisionOf(items, { candidates: Int32Array.of(9, 5, 2, 7) })
    expect(itemsOf(policy.choose(listed, 4))[0]).toBe(2)
    const propensities = policy.choose(decisionOf(items), 3).items.map((pick) => pick.propensity)
    expect(propensities).toEqual([1, 1 / 19, 1 / 18])
  })

  it('is random where there is no champion', () => {
    const [champion, random] = [createChampionRandomPolicy(engine), createRandomPolicy(engine)]
    expectSameSlates(champion, random, newcomer)
    expectSameSlates(champion, random, { excluded: Int32Array.of(2) })
  })
})

describe('LinUCB', () => {
  it('scores by the ridge estimate and the root of its definition', () => {
    // Two visits to one item worth r: by Sherman and Morrison A⁻¹ = I − 2xxᵀ/(1 + 2‖x‖²), and so
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
    const larger = catalogueOf(engine, itemCount, (_, random) => 64 * random.normal())
    const policy = createLinUcbPolicy(engine)
    expect(itemsOf(policy.choose(decisionOf(larger), 8))).toEqual(
      itemsOf(policy.choose(decisionOf(items), 8)),
    )
  })

  it('forgets what lies before its history cap', () => {
    const capped = createLinUcbPolicy(engine, { historyCap: 1 })
    const last = { visited: Int32Array.of(2), rewards: Float32Array.of(0) }
    expect(capped.choose(decisionOf(items), 8)).toEqual(
      createLinUcbPolicy(engine).choose(decisionOf(items, last), 8),
    )
  })
})

describe('LinTS', () => {
  it('is LinUCB without a bonus where its posterior has no width', () => {
    expectSameSlates(
      createLinTsPolicy(engine, { posteriorScale: 0 }),
      createLinUcbPolicy(engine, { bonusWeight: 0 }),
    )
  })

  it('draws scores around the estimate, v·diversity wide', () => {
    checkSpread(createLinTsPolicy(engine, { posteriorScale: 0.3 }), (pick) => 0.3 * pick.diversity)
  })

  it('estimates propensities, and shows the same slate without them', () => {
    checkEstimates((propensityDraws) => createLinTsPolicy(engine, { propensityDraws }))
  })
})

describe('REN-TS', () => {
  it('is greedy where nothing is uncertain', () => {
    const policy = createRenTsPolicy(engine, { posteriorScale: 0, uncertaintyScale: 0 })
    expectSameSlates(policy, createGreedyPolicy(engine))
    const certain = { uncertainty: new Float32Array(itemCount) }
    expectSameSlates(
      createRenTsPolicy(engine, { posteriorScale: 0 }),
      createGreedyPolicy(engine),
      certain,
    )
  })

  it('draws scores around the relevance, as wide as user and item are uncertain', () => {
    const theta = decisionOf(items).userEmbedding
    checkSpread(createRenTsPolicy(engine, { uncertaintyScale: 0 }), (pick) => 0.1 * pick.diversity)
    checkSpread(
      createRenTsPolicy(engine, { posteriorScale: 0 }),
      (pick) => pick.uncertainty * Math.hypot(...theta),
    )
  })

  it('estimates propensities, and shows the same slate without them', () => {
    checkEstimates((propensityDraws) => createRenTsPolicy(engine, { propensityDraws }))
  })
})

describe('NeuralUCB', () => {
  /** Items on a circle: worth 1 where the first two coordinates have equal signs. */
  const circle = () =>
    catalogueOf(engine, 24, (at) => {
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

  it('gives less of a bonus to what was visited', () => {
    const table = circle()
    const policy = createNeuralUcbPolicy(engine)
    const bonusOf = (item: number, visits: number) => {
      const visited = new Int32Array(visits).fill(item)
      const decision = decisionOf(table, { visited, rewards: new Float32Array(visits) })
      return policy.choose(decision, 24).items.find((pick) => pick.item === item)!.diversity
    }
    const bonuses = [0, 1, 4, 16].map((visits) => bonusOf(5, visits))
    expect(bonuses).toEqual(bonuses.toSorted((a, b) => b - a))
    expect(bonuses[3]).toBeLessThan(bonuses[0]! * 0.8)
  })
})

describe('greedy DPP', () => {
  it('takes at each step the item that makes the determinant of its kernel largest', () => {
    const decision = decisionOf(items)
    const quality = (item: number) =>
      Math.exp(0.5 * dot(rowOf(items, item), decision.userEmbedding))
    const kernel = (a: number, b: number) =>
      quality(a) * quality(b) * dot(rowOf(items, a), rowOf(items, b))
    const picks: number[] = []
    for (let slot = 0; slot < dimension; slot++) {
      const left = [...Array(itemCount).keys()].filter((item) => !picks.includes(item))
      const volume = (item: number) =>
        determinant([...picks, item].map((a) => [...picks, item].map((b) => kernel(a, b))))
      picks.push(left.toSorted((a, b) => volume(b) - volume(a))[0]!)
    }
    const slate = createGreedyDppPolicy(engine, { relevanceWeight: 0.5 }).choose(
      decision,
      dimension,
    )
    expect(itemsOf(slate)).toEqual(picks)
  })

  it('goes by relevance alone once the slate spans all directions', () => {
    const slate = createGreedyDppPolicy(engine).choose(decisionOf(items), itemCount)
    const rest = slate.items.slice(dimension).map(({ relevance }) => relevance)
    expect(rest).toEqual(rest.toSorted((a, b) => b - a))
  })

  it('takes an item twice in the catalogue once while others differ', () => {
    const twins = catalogueOf(engine, 6)
    twins.values.copyWithin(dimension, 0, dimension)
    const picks = itemsOf(
      createGreedyDppPolicy(engine, { relevanceWeight: 0 }).choose(decisionOf(twins), 4),
    )
    expect(picks.filter((item) => item < 2).length).toBeLessThan(2)
  })

  it('is nearly greedy under a large weight of relevance', () => {
    expectSameSlates(
      createGreedyDppPolicy(engine, { relevanceWeight: 1e6 }),
      createGreedyPolicy(engine),
    )
  })
})

it('refuses negative weights and counts that are none', () => {
  expect(() => createLinUcbPolicy(engine, { bonusWeight: -1 })).toThrow(invalid)
  expect(() => createLinTsPolicy(engine, { posteriorScale: -1 })).toThrow(invalid)
  expect(() => createLinTsPolicy(engine, { propensityDraws: 0.5 })).toThrow(invalid)
  expect(() => createRenTsPolicy(engine, { uncertaintyScale: Number.NaN })).toThrow(invalid)
  expect(() => createNeuralUcbPolicy(engine, { unitPairs: 0 })).toThrow(invalid)
  expect(() => createNeuralUcbPolicy(engine, { historyCap: 0 })).toThrow(invalid)
  expect(() => createGreedyDppPolicy(engine, { relevanceWeight: Infinity })).toThrow(invalid)
})

type Picked = ReturnType<ExplorationPolicy['choose']>['items'][number]

/** Over many requests the scores of an item have the spread that its own terms announce. */
function checkSpread(policy: ExplorationPolicy, spread: (pick: Picked) => number): void {
  const candidates = Int32Array.of(11)
  const picks = Array.from({ length: 4000 }, (_, seed) => {
    const decision = decisionOf(items, { candidates, random: createRandom(seed) })
    return policy.choose(decision, 1).items[0]!
  })
  const centre = mean(picks.map(({ score }) => score))
  const deviations = Math.sqrt(mean(picks.map(({ score }) => (score - centre) ** 2)))
  expect(deviations / spread(picks[0]!)).toBeCloseTo(1, 1)
  if (policy.name === 'ren-ts') {
    expect(Math.abs(centre - picks[0]!.relevance)).toBeLessThan(0.1 * deviations)
  }
}

/** The first slot's estimate agrees with how often the item is first. */
function checkEstimates(create: (propensityDraws: number) => ExplorationPolicy): void {
  const candidates = Int32Array.of(1, 4, 6, 8)
  const ask = (draws: number, seed: number) =>
    create(draws).choose(decisionOf(items, { candidates, random: createRandom(seed) }), 2)
  const [plain, explained] = [ask(0, 1), ask(2000, 1)]
  expect(plain.items.every(({ propensity }) => propensity === undefined)).toBe(true)
  expect(itemsOf(explained)).toEqual(itemsOf(plain))
  const { item, propensity } = explained.items[0]!
  const first = Array.from({ length: 2000 }, (_, seed) => itemsOf(ask(0, seed))[0])
  const share = first.filter((other) => other === item).length / first.length
  expect(Math.abs(propensity! - share)).toBeLessThan(5 * deviation(share, 2000) * Math.SQRT2 + 1e-3)
}

function determinant(matrix: readonly (readonly number[])[]): number {
  if (matrix.length === 0) return 1
  return matrix[0]!.reduce((sum, value, column) => {
    const minor = matrix.slice(1).map((row) => row.toSpliced(column, 1))
    return sum + (column % 2 === 0 ? value : -value) * determinant(minor)
  }, 0)
}
