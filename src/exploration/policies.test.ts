import { beforeAll, describe, expect, it } from 'vitest'
import {
  catalogOf,
  decisionOf,
  deviation,
  dimension,
  dot,
  expectSameSlates,
  itemsOf,
  newcomer,
  rowOf,
} from '../../test/decisions.ts'
import { createRandom } from '../core/random.ts'
import { createEngine, type Engine, type Tensor } from '../kernels/index.ts'
import {
  createChampionRandomPolicy,
  createEpsilonGreedyPolicy,
  createGreedyPolicy,
  createPopularityPolicy,
  createRandomPolicy,
} from './simple-policies.ts'
import { createGreedyDppPolicy } from './greedy-dpp.ts'

const itemCount = 20

let engine: Engine
let items: Tensor
beforeAll(async () => {
  engine = await createEngine()
  items = catalogOf(engine, itemCount)
})

const invalid = expect.objectContaining({ code: 'invalid-argument' })

describe('greedy', () => {
  it('picks the most relevant items in falling order', () => {
    const decision = decisionOf(items)
    const relevance = (item: number) => dot(rowOf(items, item), decision.userEmbedding)
    const order = [...Array(itemCount).keys()].toSorted((a, b) => relevance(b) - relevance(a))
    expect(itemsOf(createGreedyPolicy(engine).choose(decision, 7))).toEqual(order.slice(0, 7))
  })
})

describe('popularity', () => {
  it('picks the items with the most interactions', () => {
    const slate = createPopularityPolicy(engine).choose(decisionOf(items), 3)
    expect(itemsOf(slate)).toEqual([19, 18, 17])
    expect(slate.items.map(({ score }) => score)).toEqual([19, 18, 17])
  })

  it('refuses counts that are not finite', () => {
    const interactions = new Float32Array(itemCount).fill(Number.NaN)
    const choose = () =>
      createPopularityPolicy(engine).choose(decisionOf(items, { interactions }), 3)
    expect(choose).toThrow(expect.objectContaining({ code: 'non-finite-result' }))
  })
})

describe('ε-greedy', () => {
  it('is greedy at ε = 0 and random at ε = 1', () => {
    expectSameSlates(
      createEpsilonGreedyPolicy(engine, { epsilon: 0 }),
      createGreedyPolicy(engine),
      items,
    )
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

  it('refuses an ε that is not a probability', () => {
    for (const epsilon of [-0.1, 1.1, Number.NaN]) {
      expect(() => createEpsilonGreedyPolicy(engine, { epsilon })).toThrow(invalid)
    }
  })
})

describe('champion-random', () => {
  it("puts the user's last choice first, if it is a candidate", () => {
    const policy = createChampionRandomPolicy(engine)
    expect(itemsOf(policy.choose(decisionOf(items), 4))[0]).toBe(2)
    const listed = decisionOf(items, { candidates: Int32Array.of(9, 5, 2, 7) })
    expect(itemsOf(policy.choose(listed, 4))[0]).toBe(2)
    const propensities = policy.choose(decisionOf(items), 3).items.map((pick) => pick.propensity)
    expect(propensities).toEqual([1, 1 / 19, 1 / 18])
  })

  it('is random if there is no champion', () => {
    const [champion, random] = [createChampionRandomPolicy(engine), createRandomPolicy(engine)]
    expectSameSlates(champion, random, items, newcomer)
    expectSameSlates(champion, random, items, { excluded: Int32Array.of(2) })
  })
})

describe('greedy DPP', () => {
  it('picks the item that maximizes the determinant of its kernel, at each step', () => {
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

  it('orders by relevance alone once the slate spans all directions', () => {
    const slate = createGreedyDppPolicy(engine).choose(decisionOf(items), itemCount)
    const rest = slate.items.slice(dimension).map(({ relevance }) => relevance)
    expect(rest).toEqual(rest.toSorted((a, b) => b - a))
  })

  it('picks one of two equal items while others differ', () => {
    const learners = catalogOf(engine, 6)
    learners.values.copyWithin(dimension, 0, dimension)
    const picks = itemsOf(
      createGreedyDppPolicy(engine, { relevanceWeight: 0 }).choose(decisionOf(learners), 4),
    )
    expect(picks.filter((item) => item < 2).length).toBeLessThan(2)
  })

  it('is nearly greedy with a large weight of relevance', () => {
    expectSameSlates(
      createGreedyDppPolicy(engine, { relevanceWeight: 1e6 }),
      createGreedyPolicy(engine),
      items,
    )
  })
})

function determinant(matrix: readonly (readonly number[])[]): number {
  if (matrix.length === 0) return 1
  return matrix[0]!.reduce((sum, value, column) => {
    const minor = matrix.slice(1).map((row) => row.toSpliced(column, 1))
    return sum + (column % 2 === 0 ? value : -value) * determinant(minor)
  }, 0)
}
