import { describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { clickRateFeature, contestedChoice, defaultBlend, fitWeights } from './blend.ts'
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
    return { features: Float32Array.from(ordered.flat()) }
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
})

describe('a contested choice', () => {
  const itemCount = 100
  const columns = {
    model: Float32Array.from({ length: itemCount }, (_, item) => item),
    memory: Float32Array.from({ length: itemCount }, (_, item) => -item),
  }
  const itemsOf = ({ features }: Choice): number[] =>
    Array.from({ length: features.length / 4 }, (_, row) => features[4 * row]!)

  it('is among the best 20 items by each part, after the chosen one', () => {
    const choice = contestedChoice(columns, 95, () => false)!
    expect(itemsOf(choice)[0]).toBe(95)
    const contenders = [...Array(20).keys(), ...Array.from({ length: 20 }, (_, i) => 80 + i)]
    expect(itemsOf(choice).toSorted((a, b) => a - b)).toEqual(contenders)
  })

  it('leaves out excluded items', () => {
    const choice = contestedChoice(columns, 95, (item) => item % 2 === 0)!
    expect(itemsOf(choice).every((item) => item % 2 === 1)).toBe(true)
    expect(itemsOf(choice)).toHaveLength(40)
  })

  it('does not exist for an item that no part ranks high', () => {
    expect(contestedChoice(columns, 50, () => false)).toBeNull()
  })
})

it('changes only the given weights', () => {
  const choice = {
    features: Float32Array.of(1, 0, 0, 0, 0, 1, 0, 2),
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
