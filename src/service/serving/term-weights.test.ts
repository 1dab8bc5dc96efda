// The weighted terms of a response add up to its scores.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closeServices, startService } from '../../../test/services.ts'
import { createMemoryStore } from '../../storage/index.ts'
import type { ExplorationChoice } from '../service.ts'
import type { ServedRecommendation } from '../schemas/recommendation.ts'

closeServices()

const itemNames = Array.from({ length: 30 }, (_, item) => `item ${item}`)

const choices = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }).map((weight) => ({ weight })),
  fc.constantFrom(0, 0.5, 1).map((weight) => ({ weight })),
  fc
    .tuple(fc.constantFrom(0, 0.3, 20), fc.constantFrom(0, 0.7, 50))
    .map(([diversityWeight, uncertaintyWeight]) => ({ diversityWeight, uncertaintyWeight })),
  fc.constantFrom('greedy' as const, 'epsilon-greedy' as const).map((policy) => ({ policy })),
)
const someItems = fc.uniqueArray(fc.constantFrom(...itemNames), { maxLength: 20 })
const requests = fc.record({
  user: fc.constantFrom('ann', 'bob', 'new'),
  count: fc.integer({ min: 2, max: 12 }),
  exploration: choices,
  exclude: someItems,
  boosted: fc.uniqueArray(fc.constantFrom(...itemNames), { maxLength: 3 }),
  pinned: fc.uniqueArray(fc.constantFrom(...itemNames), { maxLength: 2 }),
  sequential: fc.boolean(),
})

describe('the weights of a response', () => {
  it('make the terms of every item add up to its score', async () => {
    const { service } = await startService({ store: createMemoryStore() }, itemNames)
    await service.record(
      ['ann', 'ann', 'ann', 'bob'].map((user, i) => ({ user, item: `item ${3 * i}` })),
    )
    await fc.assert(
      fc.asyncProperty(requests, async ({ boosted, pinned, sequential, ...requested }) => {
        const policy = 'policy' in requested.exploration ? requested.exploration.policy : 'ren'
        const isRen = policy === 'ren'
        const supportsBoosts = isRen ? !sequential : policy === 'greedy'
        const served = await service.recommend({
          ...requested,
          ...(isRen && sequential && { slate: 'sequential' }),
          ...(supportsBoosts && { boost: Object.fromEntries(boosted.map((item) => [item, 0.4])) }),
          pin: pinned.map((item, slot) => ({ item, slot: slot + 1 })),
          record: false,
        })
        expectSums(served)
      }),
      { numRuns: 80 },
    )
  })

  it('are null if scores are not a sum of the terms, or the slate is empty', async () => {
    const { service } = await startService({ store: createMemoryStore() }, itemNames)
    const recommend = async (exploration: ExplorationChoice, exclude: readonly string[] = []) =>
      (await service.recommend({ user: 'ann', count: 3, exploration, exclude })).weights
    expect(await recommend({ policy: 'lin-ucb' })).toBeNull()
    expect(await recommend({ policy: 'random' })).toBeNull()
    expect(await recommend({ weight: 0.5 }, itemNames)).toBeNull()
    expect(await recommend({ policy: 'greedy' })).toEqual({
      relevance: 1,
      diversity: 0,
      uncertainty: 0,
    })
    expect(await recommend({ weight: 1 })).toMatchObject({ relevance: 0 })
  })
})

function expectSums({ items, weights }: ServedRecommendation): void {
  expect(weights === null).toBe(items.length === 0)
  for (const { score, relevance, diversity, uncertainty, boost = 0 } of items) {
    const terms = [
      weights!.relevance * relevance,
      weights!.diversity * diversity,
      weights!.uncertainty * uncertainty,
      boost,
    ]
    const sum = terms.reduce((total, term) => total + term, 0)
    const sizes = terms.reduce((total, term) => total + Math.abs(term), 0)
    expect(Math.abs(score - sum)).toBeLessThanOrEqual(1e-6 * sizes)
  }
}
