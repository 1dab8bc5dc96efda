import { beforeAll, describe, expect, it } from 'vitest'
import { catalogOf, decisionOf, dimension, dot, itemsOf, rowOf } from '../../test/decisions.ts'
import { createEngine, type Engine, type Tensor } from '../kernels/index.ts'
import { createBaseRenPolicy } from './base-ren.ts'
import { createBaseRen, createPolicy, type Decision } from './index.ts'

const itemCount = 20
const problem = { horizon: 500, delta: 0.2 }

let engine: Engine
let items: Tensor
beforeAll(async () => {
  engine = await createEngine()
  items = catalogOf(engine, itemCount)
})

const uncertainty = Float32Array.from({ length: itemCount }, (_, item) => 1 / Math.sqrt(item + 1))

/** BaseREN after the visits of the decision. */
function baseRenAfter({ visited, rewards }: Decision, scale: number) {
  const base = createBaseRen({ ...problem, scale, itemCount, dimension })
  for (const [i, item] of visited.entries()) {
    base.observe({ round: i + 1, context: rowOf(items, item), reward: rewards[i]! })
  }
  return base
}

describe('BaseREN as a policy', () => {
  it.each([0, 0.1, 1])('scores by the upper bounds of BaseREN at scale %d', (scale) => {
    const decision = decisionOf(items, { uncertainty })
    const base = baseRenAfter(decision, scale)
    const slate = createBaseRenPolicy(engine, { ...problem, scale }).choose(decision, itemCount)
    expect(slate.items).toHaveLength(itemCount)
    for (const { item, score, diversity, uncertainty: sigma } of slate.items) {
      const expected = base.estimate(items.values, uncertainty, item)
      expect(score).toBeCloseTo(expected.upperBound, 4)
      expect(diversity).toBeCloseTo(expected.diversity, 5)
      expect(sigma).toBe(expected.uncertainty)
    }
    expect(itemsOf(slate)[0]).toBe(base.choose(items.values, uncertainty).item)
  })

  it('is the greedy choice of the ridge estimate at scale 0', () => {
    const decision = decisionOf(items, { uncertainty })
    const { userEmbedding } = baseRenAfter(decision, 0)
    const relevance = (item: number) => dot(rowOf(items, item), userEmbedding)
    const order = [...Array(itemCount).keys()].toSorted((a, b) => relevance(b) - relevance(a))
    const slate = createPolicy(engine, 'base-ren', { scale: 0 }).choose(decision, 6)
    expect(itemsOf(slate)).toEqual(order.slice(0, 6))
  })

  it('reads the uncertainty of a listed candidate by its item', () => {
    const candidates = Int32Array.of(19, 3, 11)
    const decision = decisionOf(items, { uncertainty, candidates })
    const policy = createBaseRenPolicy(engine, problem)
    for (const { item, uncertainty: sigma } of policy.choose(decision, 3).items) {
      expect(sigma).toBe(uncertainty[item])
    }
  })

  it.each([{ horizon: 0 }, { horizon: 1.5 }, { delta: 0 }, { delta: 1 }, { scale: -1 }])(
    'refuses %o at creation',
    (wrong) => {
      const invalid = expect.objectContaining({ code: 'invalid-argument' })
      expect(() => createBaseRenPolicy(engine, wrong)).toThrow(invalid)
    },
  )
})
