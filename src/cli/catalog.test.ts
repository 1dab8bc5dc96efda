import fc from 'fast-check'
import { expect, it, describe } from 'vitest'

import type { InteractionLog } from '../core/log.ts'
import type { CatalogScorer } from '../models/index.ts'
import {
  withFiniteScores,
  catalogOf,
  countTargets,
  numberLog,
  numberSequences,
  placesIn,
} from './catalog.ts'

const scorerOf = (scores: readonly number[]): CatalogScorer => ({
  itemCount: scores.length,
  scoreTargets: (_, visit) => visit(2, 7, Float32Array.from(scores)),
})

it('passes on finite scores', () => {
  const visits: unknown[] = []
  const scorer = withFiniteScores(scorerOf([1, -0.5, 3e38]))
  scorer.scoreTargets([], (...visit) => visits.push(visit))
  expect(scorer.itemCount).toBe(3)
  expect(visits).toEqual([[2, 7, Float32Array.of(1, -0.5, 3e38)]])
})

it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
  'refuses a score of %s and suggests a fix',
  (score) => {
    const scorer = withFiniteScores(scorerOf([0, score, 1]))
    expect(() => scorer.scoreTargets([], () => {})).toThrow(
      expect.objectContaining({
        code: 'non-finite-result',
        message: expect.stringContaining('--rate'),
      }),
    )
  },
)

const letters = ['a', 'b', 'c', 'd', 'e', 'f']

function logOf(items: readonly number[]): InteractionLog {
  return {
    users: new Int32Array(items.length),
    items: Int32Array.from(items),
    rewards: Float32Array.from(items, (_, row) => row),
    times: Float64Array.from(items, (_, row) => row),
    userNames: ['one'],
    itemNames: letters,
  }
}

const arbitraryItems = fc.array(fc.nat(letters.length - 1), { minLength: 2, maxLength: 20 })
const arbitraryCatalog = fc.shuffledSubarray([...letters, 'x', 'y'])

describe('a catalog', () => {
  it('contains the names that have a row', () => {
    expect(catalogOf(logOf([4, 1, 4, 0]))).toEqual(['a', 'b', 'e'])
  })

  it('renumbers a log by name and drops rows of other items', () => {
    fc.assert(
      fc.property(arbitraryItems, arbitraryCatalog, (items, catalog) => {
        const numbered = numberLog(logOf(items), catalog)
        expect(Array.from(numbered.items, (item) => numbered.itemNames[item])).toEqual(
          items.map((item) => letters[item]!).filter((name) => catalog.includes(name)),
        )
        expect(numbered.rewards).toHaveLength(numbered.items.length)
      }),
    )
  })

  it('renumbers test sequences and retains their targets', () => {
    fc.assert(
      fc.property(arbitraryItems, fc.nat(18), arbitraryCatalog, (items, nth, catalog) => {
        const log = logOf(items)
        const firstTarget = 1 + (nth % (items.length - 1))
        const { sequences, unknown, withoutTarget } = numberSequences(
          [{ ...log, user: 0, firstTarget }],
          placesIn(catalog, log),
        )
        const known = items.map((item) => letters[item]!).filter((name) => catalog.includes(name))
        expect(unknown).toBe(items.length - known.length)
        expect(withoutTarget).toBe(1 - sequences.length)
        for (const { items: selected, rewards, firstTarget: first } of sequences) {
          expect(Array.from(selected, (item) => catalog[item])).toEqual(known)
          // A reward is the row it came from: no target was history, but for a first event.
          expect(rewards.subarray(first).every((row) => row >= firstTarget)).toBe(true)
          expect(first === 1 || rewards[first - 1]! < firstTarget).toBe(true)
        }
      }),
    )
  })

  it('counts targets', () => {
    const sequence = { ...logOf([1, 2, 3, 4]), user: 0, firstTarget: 1 }
    expect(countTargets([sequence, { ...sequence, firstTarget: 3 }])).toBe(4)
  })
})
