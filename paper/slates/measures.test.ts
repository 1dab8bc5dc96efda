import { describe, expect, it } from 'vitest'

import { curvesOf, firstChange, flatCurve, measuresOf, timesOf } from './measures.ts'
import type { Served } from './serve.ts'

const served = (holdOutRecall: number[], more: Partial<Served> = {}): Served => ({
  holdOutRecall,
  explorationRecall: [0.5, 1],
  precision: [0.2, 0.1],
  slates: [
    ['a', 'b'],
    ['c', 'd'],
  ],
  milliseconds: 4,
  ...more,
})

describe('measures', () => {
  const users = [served([0.2, 0.4]), served([0.6, 1], { milliseconds: 8, precision: [0.4, 0.5] })]

  it('are means over users at each step', () => {
    const { at, series } = curvesOf(users)
    expect(at).toEqual([1, 2])
    expect(series['holdOutRecall']![0]).toBeCloseTo(0.4, 12)
    expect(series['holdOutRecall']![1]).toBeCloseTo(0.7, 12)
    expect(series['explorationRecall']).toEqual([0.5, 1])
    expect(series['precision']![1]).toBeCloseTo(0.3, 12)
  })

  it('compare with greedy slates user by user', () => {
    const slates = [
      ['a', 'c'],
      ['b', 'd'],
    ]
    const greedy = [
      served([0.1, 0.3], { explorationRecall: [0.5, 0.8] }),
      served([0.4, 0.6], { slates }),
    ]
    const measures = measuresOf(users, greedy)
    // Differences of the means are 0.1 and 0.3: their mean 0.2, its error 0.1414/√2.
    const expected = {
      meanHoldOut: 0.55,
      lastHoldOut: 0.7,
      lastExploration: 1,
      meanPrecision: 0.3,
      holdOutDifference: 0.2,
      holdOutDifferenceError: 0.1,
      lastHoldOutDifference: 0.25,
      lastHoldOutDifferenceError: 0.15,
      lastExplorationDifference: 0.1,
      firstChange: 2.5,
    }
    expect(Object.keys(measures)).toEqual(Object.keys(expected))
    for (const [name, value] of Object.entries(expected)) {
      expect(measures[name], name).toBeCloseTo(value, 12)
    }
  })

  it('of time are means over slates', () => {
    expect(timesOf(users)).toEqual({ millisecondsPerSlate: 3 })
  })

  it('of known histories are the same at every step', () => {
    expect(flatCurve([0.25, 0.75], 3)).toEqual({
      at: [1, 2, 3],
      series: { holdOutRecall: [0.5, 0.5, 0.5] },
      measures: { meanHoldOut: 0.5, lastHoldOut: 0.5 },
    })
  })
})

describe('the first change of a slate', () => {
  it('is the first place that differs, counted from 1', () => {
    expect(firstChange(['a', 'b', 'c'], ['a', 'c', 'b'])).toBe(2)
    expect(firstChange(['b', 'a'], ['a', 'b'])).toBe(1)
  })

  it('is one past the end where nothing differs', () => {
    expect(firstChange(['a', 'b'], ['a', 'b'])).toBe(3)
  })
})
