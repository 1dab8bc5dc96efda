import { expect, it } from 'vitest'

import type { CatalogScorer } from '../models/index.ts'
import { withFiniteScores } from './finite-scores.ts'

const scorerOf = (scores: readonly number[]): CatalogScorer => ({
  itemCount: scores.length,
  scoreTargets: (_, visit) => visit(2, 7, Float32Array.from(scores)),
})

it('passes on scores that are finite', () => {
  const visits: unknown[] = []
  const scorer = withFiniteScores(scorerOf([1, -0.5, 3e38]))
  scorer.scoreTargets([], (...visit) => visits.push(visit))
  expect(scorer.itemCount).toBe(3)
  expect(visits).toEqual([[2, 7, Float32Array.of(1, -0.5, 3e38)]])
})

it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
  'refuses a score of %s with advice',
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
