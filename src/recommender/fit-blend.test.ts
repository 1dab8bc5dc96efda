import { describe, expect, it } from 'vitest'
import { structuredHistories } from '../../test/structured-log.ts'
import { createRandom } from '../core/random.ts'
import type { History } from '../models/index.ts'
import { fitBlend } from './fit-blend.ts'
import { holdOutLatest } from './held-out.ts'

const log = { users: 800, items: 200, length: 8, noise: 0 }

function fitted(sequences: readonly History[]) {
  const random = createRandom(1)
  const heldOut = holdOutLatest(sequences, { random, excludeHistory: true })
  return fitBlend({ heldOut, itemCount: log.items, model: null, random })
}

describe('a blend fitted to a log', () => {
  it('counts transitions one way if users follow chains', () => {
    const { blend, quality } = fitted(structuredHistories(log))
    expect(blend.backward).toBe(0)
    expect(blend.weights.model).toBe(0)
    expect(quality.memory.hr10).toBeGreaterThan(5 * quality.popularity.hr10)
  })

  it('counts them both ways if the items of a group come in any order', () => {
    const random = createRandom(2)
    const shuffled = structuredHistories(log).map((history) => {
      const items = [...history.items]
      random.shuffle(items)
      return { ...history, items: Int32Array.from(items) }
    })
    expect(fitted(shuffled).blend.backward).toBeGreaterThanOrEqual(0.5)
  })
})
