import { describe, expect, it } from 'vitest'
import { structuredHistories, type StructuredLog } from '../../test/structured-log.ts'
import { createRandom } from '../core/random.ts'
import type { History } from '../models/index.ts'
import { defaultBlend } from '../relevance/index.ts'
import { fitBlend } from './fit-blend.ts'
import { holdOutLatest } from './held-out.ts'

const log = { users: 800, items: 200, length: 8, noise: 0 }

function fitted(sequences: readonly History[], excludeHistory = true) {
  const heldOut = holdOutLatest(sequences, { random: createRandom(1), excludeHistory })
  return fitBlend({ heldOut, itemCount: log.items, model: null })
}

describe('a blend fitted to a log', () => {
  it('counts transitions one way if users follow chains', () => {
    const { blend, quality } = fitted(structuredHistories(log))
    expect(blend.backward).toBe(0)
    expect(blend.weights.model).toBe(0)
    expect(quality.memory.hr10).toBeGreaterThan(5 * quality.popularity.hr10)
  })

  /** The histories of users who choose the items of a group in any order. */
  const shuffled = (changes: Partial<StructuredLog> = {}): readonly History[] => {
    const random = createRandom(2)
    return structuredHistories({ ...log, ...changes }).map((history) => {
      const items = [...history.items]
      random.shuffle(items)
      return { ...history, items: Int32Array.from(items) }
    })
  }

  it('counts them both ways if the items of a group come in any order', () => {
    expect(fitted(shuffled()).blend.backward).toBeGreaterThanOrEqual(0.5)
  })

  it('chooses the direction of fewer users from several interactions of each', () => {
    const chains = structuredHistories({ ...log, users: 400, noise: 0.2 })
    expect(fitted(chains, false).blend.backward).toBe(0)
    const groups = shuffled({ users: 400, chain: 40, length: 12 })
    expect(fitted(groups).blend.backward).toBeGreaterThanOrEqual(0.5)
  })

  it.each([1, 2, 3, 4, 5])('keeps the default if neither direction is better (seed %i)', (seed) => {
    const random = createRandom(seed)
    const histories = structuredHistories({ ...log, users: 400 }).map((history) => ({
      ...history,
      items: history.items.map(() => random.integer(log.items)),
    }))
    expect(fitted(histories, false).blend.backward).toBe(defaultBlend.backward)
  })

  it('divides counts by the popularity of neighbors as far as the log calls for it', () => {
    const isPopular = (share: number): boolean => random.uniform() < share
    const random = createRandom(3)
    /** Chains with popular items in between; the last item is popular with another probability. */
    const withPopular = (share: number, lastShare: number): readonly History[] =>
      structuredHistories({ ...log, length: 12 }).map((history) => ({
        ...history,
        items: history.items.map((item, step) =>
          isPopular(step === 11 ? lastShare : share) ? random.integer(5) : item,
        ),
      }))
    const chosen = (share: number, lastShare: number) =>
      fitted(withPopular(share, lastShare), false).blend.normalization
    expect(chosen(0.5, 0)).toEqual({ rowPower: 0.5, columnPower: 0.5 })
    expect(chosen(0.5, 1)).toEqual({ rowPower: 1, columnPower: 0 })
    expect(chosen(0.5, 0.5)).toEqual(defaultBlend.normalization)
  })

  it('has the default memory if there are too few interactions to choose', () => {
    const { blend } = fitted(structuredHistories({ ...log, users: 290 }))
    expect(blend).toMatchObject({ backward: 0.25, normalization: defaultBlend.normalization })
  })
})
