import { describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { clickRateFeature, defaultBlend, fitWeights } from './blend.ts'
import type { BlendWeights, Choice } from './blend.ts'

/** Random choices by the given weights. */
function choicesBy(weights: BlendWeights, count: number): Choice[] {
  const random = createRandom('choices')
  const weightList = [weights.model, weights.memory, weights.popularity, weights.clickRate]
  return Array.from({ length: count }, () => {
    const rows = Array.from({ length: 10 }, () => weightList.map(() => random.normal()))
    const scores = rows.map((row) =>
      Math.exp(row.reduce((sum, x, i) => sum + weightList[i]! * x, 0)),
    )
    let left = random.uniform() * scores.reduce((sum, score) => sum + score, 0)
    const chosen = Math.max(
      0,
      scores.findIndex((score) => (left -= score) < 0),
    )
    const ordered = [rows[chosen]!, ...rows.filter((_, row) => row !== chosen)]
    return { features: Float32Array.from(ordered.flat()), counts: new Float32Array(10).fill(1) }
  })
}

describe('the weights of a blend', () => {
  it('are recovered from enough choices', () => {
    const truth = { model: 1.2, memory: 0.4, popularity: -0.3, clickRate: 0.8 }
    const fitted = fitWeights(choicesBy(truth, 4000), { start: defaultBlend.weights })
    for (const [part, weight] of Object.entries(truth)) {
      expect(Math.abs(fitted[part as keyof BlendWeights] - weight)).toBeLessThan(0.1)
    }
  })

  it('stay at the start without choices', () => {
    expect(fitWeights([], { start: defaultBlend.weights })).toEqual(defaultBlend.weights)
  })

  it('are 0 for a part without information, and never negative for a model', () => {
    const truth = { model: -1, memory: 1, popularity: 0, clickRate: 0 }
    const fitted = fitWeights(choicesBy(truth, 2000), { start: defaultBlend.weights })
    expect(fitted.model).toBe(0)
    expect(Math.abs(fitted.popularity)).toBeLessThan(0.1)
  })

  it('weight a row by the number of items that it represents', () => {
    const [choice] = choicesBy(defaultBlend.weights, 1)
    const { features } = choice!
    const doubled = Float32Array.of(...features, ...features.subarray(4))
    const weighted = { features, counts: Float32Array.from({ length: 10 }, (_, i) => (i ? 2 : 1)) }
    const repeated = { features: doubled, counts: new Float32Array(19).fill(1) }
    const options = { start: defaultBlend.weights, precision: 1 }
    const [a, b] = [fitWeights([weighted], options), fitWeights([repeated], options)]
    for (const part of ['model', 'memory', 'popularity', 'clickRate'] as const) {
      expect(a[part]).toBeCloseTo(b[part], 6)
    }
  })
})

it('changes only the given weights', () => {
  const choice = {
    features: Float32Array.of(1, 0, 0, 0, 0, 1, 0, 2),
    counts: Float32Array.of(1, 1),
  }
  const { weights: start } = defaultBlend
  const weights = fitWeights([choice], { start, parts: ['clickRate'], precision: 1 })
  expect(weights).toEqual({ ...start, clickRate: expect.any(Number) as number })
  expect(weights.clickRate).toBeLessThan(start.clickRate)
})

describe('the click rate of an item', () => {
  it('is neutral without impressions, and the observed rate after many', () => {
    expect(clickRateFeature(0, 0, 0.2)).toBe(0)
    expect(clickRateFeature(5000, 10_000, 0.2)).toBeCloseTo(Math.log(0.5 / 0.2), 2)
  })

  it('falls little while hardly a click was to be expected', () => {
    expect(clickRateFeature(0, 50, 0.01)).toBeCloseTo(Math.log(50 / 100), 10)
    expect(clickRateFeature(0, 50, 0.5)).toBeCloseTo(Math.log(10 / 60), 10)
  })
})
