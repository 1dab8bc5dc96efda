import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { catalogOf, decisionOf, dimension, itemsOf } from '../../test/decisions.ts'
import { createRandom } from '../core/random.ts'
import { createEngine, type Engine, type Tensor } from '../kernels/index.ts'
import { createSupRen, createSupRenSlates } from './index.ts'

const itemCount = 9
const options = { horizon: 60, delta: 0.1, scale: 0.05 }
const problem = { ...options, itemCount, dimension }

let engine: Engine
let items: Tensor
beforeAll(async () => {
  engine = await createEngine()
  items = catalogOf(engine, itemCount)
})

const uncertainty = new Float32Array(itemCount).fill(0.01)
const decision = (changes = {}) => decisionOf(items, { uncertainty, ...changes })
const invalid = expect.objectContaining({ code: 'invalid-argument' })

describe('SupREN for slates', () => {
  it('equals SupREN for slates of one item with a reported reward', () => {
    const random = createRandom(3)
    const sup = createSupRen(problem)
    const slates = createSupRenSlates(options)
    const levels = new Set<string>()
    for (let round = 0; round < options.horizon; round++) {
      const { level, reason, ...expected } = sup.choose(items.values, uncertainty)
      levels.add(`${reason} ${level}`)
      const [pick] = slates.choose('ann', decision(), 1).items
      expect(pick).toEqual({
        item: expected.item,
        score: expected.upperBound,
        relevance: expected.relevance,
        diversity: expected.diversity,
        uncertainty: expected.uncertainty,
      })
      const reward = random.normal()
      sup.observe(reward)
      slates.observe('ann', expected.item, reward)
    }
    expect(levels.size).toBeGreaterThan(2)
  })

  it('fills each slot as if the items of earlier slots were barred', () => {
    const shown = fc.uniqueArray(fc.nat(itemCount - 1), { maxLength: itemCount })
    fc.assert(
      fc.property(
        shown,
        shown,
        fc.integer({ min: 1, max: itemCount }),
        (reported, barred, size) => {
          const slates = createSupRenSlates(options)
          slates.choose('ann', decision(), itemCount)
          for (const item of reported) slates.observe('ann', item, item / itemCount)
          const first = itemsOf(slates.choose('ann', decision({ excluded: barred }), size))
          expect(first).toHaveLength(Math.min(size, itemCount - barred.length))
          for (const [slot, item] of first.entries()) {
            const excluded = [...barred, ...first.slice(0, slot)]
            expect(itemsOf(slates.choose('ann', decision({ excluded }), 1))).toEqual([item])
          }
        },
      ),
      { numRuns: 30 },
    )
  })

  it('learns once from an item of the last slate, and from no other item', () => {
    const reported = createSupRenSlates({ ...options, scale: 1 })
    const silent = createSupRenSlates({ ...options, scale: 1 })
    const [item] = [reported, silent].map(
      (slates) => itemsOf(slates.choose('ann', decision(), 1))[0]!,
    )
    const next = (slates: typeof reported) => slates.choose('ann', decision(), itemCount)
    reported.observe('ann', (item! + 1) % itemCount, 1)
    reported.observe('bob', item!, 1)
    reported.choose('ann', decision({ excluded: Int32Array.of(item!) }), 1)
    reported.observe('ann', item!, 1) // of a slate that another one has replaced
    expect(next(reported)).toEqual(next(silent))
    reported.observe('ann', item!, 1)
    const once = next(reported)
    expect(once).not.toEqual(next(silent))
    silent.observe('ann', item!, 1)
    silent.observe('ann', item!, 1)
    expect(next(silent)).toEqual(once)
  })

  it('has separate levels per user, and erases a user', () => {
    const slates = createSupRenSlates({ ...options, scale: 1 })
    const fresh = slates.choose('ann', decision(), 3)
    slates.observe('ann', fresh.items[0]!.item, 1)
    expect(slates.choose('bob', decision(), 3)).toEqual(fresh)
    expect(slates.choose('ann', decision(), 3)).not.toEqual(fresh)
    slates.erase('ann')
    expect(slates.choose('ann', decision(), 3)).toEqual(fresh)
  })

  it('reports an incomplete slate if too few items remain', () => {
    const slates = createSupRenSlates(options)
    const candidates = Int32Array.of(4, 4, 1)
    expect(slates.choose('ann', decision({ candidates }), 3)).toMatchObject({ complete: false })
    expect(slates.choose('ann', decision({ candidates: Int32Array.of() }), 1).items).toEqual([])
  })

  it.each([{ horizon: 0 }, { delta: 1 }, { scale: -1 }])('refuses %o', (wrong) => {
    expect(() => createSupRenSlates({ ...options, ...wrong })).toThrow(invalid)
  })
})
