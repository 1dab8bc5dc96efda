// Which items join A_t: every policy with the setting `designMatrix`, with all reported items and with
// the rewarded ones only.

import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { catalogOf, decisionOf, dimension, itemsOf, newcomer, rowOf } from '../../test/decisions.ts'
import { createRandom } from '../core/random.ts'
import type { Decision, RewardedItems } from '../core/types.ts'
import { createEngine, type Engine, type Tensor } from '../kernels/index.ts'
import { createDesignMatrix } from './design-matrix.ts'
import { designItems } from './requirements.ts'
import { createPolicy, policies, policyNames } from './policies.ts'

const itemCount = 9
let engine: Engine
let items: Tensor
beforeAll(async () => {
  engine = await createEngine()
  items = catalogOf(engine, itemCount)
})

const withDesign = policyNames.filter((name) => 'designMatrix' in policies[name].settings)

const anyReported = fc
  .array(fc.tuple(fc.nat(itemCount - 1), fc.constantFrom(-1, 0, 0.5, 1)), { maxLength: 70 })
  .map((pairs): RewardedItems => {
    const rewards = Float32Array.from(pairs, ([, reward]) => reward)
    return { items: Int32Array.from(pairs, ([item]) => item), rewards }
  })

const withReported = (reported: RewardedItems) => ({ reported: () => reported })
const asVisits = (reported: RewardedItems) => ({
  visited: reported.items,
  rewards: reported.rewards,
})

it('is a setting of REN and of every policy with a matrix or a regression per user', () => {
  expect(withDesign).toEqual(['lin-ucb', 'lin-ts', 'ren', 'ren-ts', 'neural-ucb', 'base-ren'])
})

describe.each(withDesign)('%s', (name) => {
  const choose = (changes: Partial<Decision>, settings = {}) =>
    createPolicy(engine, name, settings).choose(decisionOf(items, changes), itemCount)

  it('with `reported`, the default, takes the reported items in place of the visits', () => {
    fc.assert(
      fc.property(anyReported, (reported) => {
        const slate = choose(asVisits(reported))
        expect(choose(withReported(reported))).toEqual(slate)
        expect(choose({ ...newcomer, ...withReported(reported) })).toEqual(slate)
      }),
      { numRuns: 20 },
    )
  })

  it('takes the visits if the decision has no reported items', () => {
    expect(choose({})).toEqual(choose({}, { designMatrix: 'rewarded' }))
  })

  it('with `rewarded` takes the visits, and does not request the reported items', () => {
    const reported = () => expect.fail('requested')
    expect(choose({ reported }, { designMatrix: 'rewarded' })).toEqual(choose({}))
  })

  it.each([
    ['shape-mismatch', { items: Int32Array.of(1, 2), rewards: Float32Array.of(1) }],
    ['index-out-of-range', { items: Int32Array.of(itemCount), rewards: Float32Array.of(1) }],
    ['non-finite-input', { items: Int32Array.of(1), rewards: Float32Array.of(Number.NaN) }],
  ])('refuses bad reported items: %s', (code, reported) => {
    expect(() => choose(withReported(reported))).toThrow(expect.objectContaining({ code }))
  })
})

describe('the items of A_t', () => {
  it('are the last ones under a history cap, with their rewards', () => {
    const reported = { items: Int32Array.of(1, 2, 3), rewards: Float32Array.of(0, 1, -1) }
    const decision = decisionOf(items, withReported(reported))
    expect(designItems(decision, { historyCap: 2 })).toEqual({
      items: Int32Array.of(2, 3),
      rewards: Float32Array.of(1, -1),
    })
    expect(designItems(decision, { historyCap: 2, designMatrix: 'rewarded' })).toEqual({
      items: Int32Array.of(0, 2),
      rewards: Float32Array.of(0.5, 0),
    })
  })

  it('give REN the diversity of A = I + Σ μμᵀ over the reported items, in any order', () => {
    const policy = createPolicy(engine, 'ren')
    fc.assert(
      fc.property(anyReported, (reported) => {
        const design = createDesignMatrix(dimension)
        for (const item of reported.items) design.add(Float32Array.from(rowOf(items, item)))
        const reversed = {
          items: reported.items.toReversed(),
          rewards: reported.rewards.toReversed(),
        }
        for (const order of [reported, reversed]) {
          const { items: picks } = policy.choose(decisionOf(items, withReported(order)), itemCount)
          for (const { item, diversity } of picks) {
            expect(diversity).toBeCloseTo(design.bonus(Float32Array.from(rowOf(items, item))), 5)
          }
        }
      }),
      { numRuns: 30 },
    )
  })

  it('change in any way between two requests of a user without a trace of the cached W', () => {
    const cached = createPolicy(engine, 'ren')
    const [ann, decision] = [{}, decisionOf(items)]
    fc.assert(
      fc.property(anyReported, fc.nat(80), fc.boolean(), (reported, length, isSequential) => {
        // The same list, grown, cut off or with a late reward in the middle.
        const late = {
          items: Int32Array.of(...reported.items.subarray(0, length), 4, ...reported.items),
          rewards: new Float32Array(
            Math.min(length, reported.items.length) + 1 + reported.items.length,
          ),
        }
        const start = {
          items: reported.items.subarray(0, length),
          rewards: reported.rewards.subarray(0, length),
        }
        for (const list of [start, reported, late, start]) {
          const request = { ...decision, ...withReported(list), userKey: ann }
          const slate = isSequential ? ('sequential' as const) : ('top' as const)
          const choose = (policy: typeof cached) =>
            policy.choose({ ...request, random: createRandom(1) }, 4, { slate })
          const [one, other] = [choose(cached), choose(createPolicy(engine, 'ren'))]
          expect(itemsOf(one)).toEqual(itemsOf(other))
          expect(one).toEqual(other)
        }
      }),
      { numRuns: 30 },
    )
  })
})
