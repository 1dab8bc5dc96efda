import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { BanditLog } from '../../core/log.ts'
import { createRandom } from '../../core/random.ts'
import { crossFitRewards, tabularRewards } from './reward-model.ts'

/** Two contexts and two positions; the reward of row r is r. */
const log: BanditLog = {
  actions: Int32Array.of(0, 0, 0, 1, 1, 2),
  rewards: Float32Array.of(0, 1, 2, 3, 4, 5),
  propensities: new Float64Array(6).fill(0.25),
  positions: Int32Array.of(0, 0, 1, 0, 0, 1),
  contexts: Int32Array.of(0, 0, 0, 1, 0, 1),
  actionCount: 4,
  positionCount: 2,
  contextNames: ['new', 'known'],
}
const everyRow = Int32Array.from(log.actions.keys())

describe('tabularRewards', () => {
  it('draws the mean of a cell to that of its action, and that to the mean of all', () => {
    const model = tabularRewards({ shrinkage: 2 })(log, everyRow)
    const action0 = (0 + 1 + 2 + 2 * 2.5) / (3 + 2)
    expect(model(0, 0)).toBeCloseTo((0 + 1 + 2 * action0) / (2 + 2), 12) // two rows of its own
    expect(model(2, 0)).toBeCloseTo((2 + 2 * action0) / (1 + 2), 12) // another position
    expect(model(3, 0)).toBeCloseTo(action0, 12) // never in this context
    expect(model(0, 3)).toBe(2.5) // never anywhere
  })

  it('comes near the plain mean of a cell when it hardly shrinks', () => {
    const model = tabularRewards({ shrinkage: 1e-9 })(log, everyRow)
    expect(model(0, 0)).toBeCloseTo(0.5, 6)
    expect(model(5, 2)).toBeCloseTo(5, 6)
  })

  it('refuses to shrink by nothing, for an unknown cell has no mean, and to learn from no row', () => {
    const invalid = expect.objectContaining({ code: 'invalid-argument' })
    for (const shrinkage of [0, -1, NaN, Infinity]) {
      expect(() => tabularRewards({ shrinkage })).toThrow(invalid)
    }
    expect(() => tabularRewards()(log, new Int32Array(0))).toThrow(invalid)
  })
})

describe('crossFitRewards', () => {
  it('predicts every row by a model of all the rows outside its fold, and never of itself', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 6 }), fc.nat(), (folds, seed) => {
        const learnt: Int32Array[] = []
        const model = crossFitRewards(log, createRandom(seed), {
          folds,
          learner: (_log, rows) => {
            learnt.push(rows)
            return (row) => Number(rows.includes(row))
          },
        })
        expect([...everyRow].map((row) => model(row, 0))).toEqual([0, 0, 0, 0, 0, 0])
        // Each row is left out once, so that it is in all models but one.
        const uses = learnt.flatMap((rows) => [...rows]).toSorted((a, b) => a - b)
        expect(uses).toEqual([...everyRow].flatMap((row) => Array<number>(folds - 1).fill(row)))
      }),
    )
  })

  it('does not predict a row better for having seen its reward', () => {
    const lone = { ...log, rewards: Float32Array.of(9, 0, 0, 0, 0, 0) }
    const changed = { ...log, rewards: Float32Array.of(-9, 0, 0, 0, 0, 0) }
    const [one, other] = [lone, changed].map((each) => crossFitRewards(each, createRandom(1)))
    expect(one!(0, 0)).toBe(other!(0, 0))
    expect(one!(1, 0)).not.toBe(other!(1, 0))
  })

  it('refuses fewer folds than 2, more than rows, and rows of another log', () => {
    const invalid = expect.objectContaining({ code: 'invalid-argument' })
    for (const folds of [1, 7, 2.5, NaN]) {
      expect(() => crossFitRewards(log, createRandom(1), { folds })).toThrow(invalid)
    }
    const outside = expect.objectContaining({ code: 'index-out-of-range' })
    expect(() => crossFitRewards(log, createRandom(1))(6, 0)).toThrow(outside)
  })
})
