import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import {
  boundsOf,
  nearestIndex,
  pathOf,
  runsOf,
  scaleOf,
  ticksOf,
  timeTicksOf,
  visibleOf,
  yBoundsOf,
} from './plot.ts'

describe('bounds', () => {
  it('are those of all values, and differ even with one value or none', () => {
    expect(boundsOf([3, null, -1, 2])).toEqual([-1, 3])
    expect(boundsOf([3], [4, 9])).toEqual([3, 9])
    expect(boundsOf([2])).toEqual([1.5, 2.5])
    expect(boundsOf([null])).toEqual([0, 1])
    expect(boundsOf([0, 0])).toEqual([0, 1])
  })

  it('include lines and bands at the points within a range', () => {
    const line = { label: 'a', values: [1, 2, 9], low: [0, null, 8], high: [5, null, 10] }
    expect(yBoundsOf([line], [10, 20, 30], [10, 20])).toEqual([0, 5])
  })
})

it('a scale maps the bounds of one range to the bounds of the other', () => {
  const scale = scaleOf([10, 20], 200, 100)
  expect([scale(10), scale(15), scale(20)]).toEqual([200, 150, 100])
})

describe('lines', () => {
  it('have gaps at missing values, unless they are joined', () => {
    const values = [null, 1, 2, null, null, 3]
    const x = [0, 1, 2, 3, 4, 5]
    expect(runsOf(x, values, false)).toEqual([[1, 2], [5]])
    expect(runsOf(x, values, true)).toEqual([[1, 2, 5]])
    expect(runsOf(x, [], false)).toEqual([])
  })

  it('of many values look the same with only the visible ones', () => {
    const values = Array.from({ length: 20_000 }, (_, i) => Math.sin(i * i))
    const x = [...values.keys()]
    const column = (i: number): number => Math.floor(i / 100)
    const seen = visibleOf(x, column, values)
    expect(seen.length).toBeLessThanOrEqual(4 * 200)
    for (const end of [0, 1]) {
      const lastOf = (all: readonly number[]): number[] =>
        [...Map.groupBy(all, column).values()].map(
          (some) => boundsOf(some.map((i) => values[i]!))[end]!,
        )
      expect(lastOf(seen)).toEqual(lastOf(x))
    }
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(visibleOf([1, 2, 3], column, values)).toEqual([1, 2, 3])
  })

  it('are paths, and a single point is visible', () => {
    const [one, two] = [
      { x: 1, y: 2 },
      { x: 3, y: 4 },
    ]
    expect(pathOf([one, two])).toBe('M1,2L3,4')
    expect(pathOf([one])).toBe('M1,2h0')
  })
})

it('finds the index of the nearest point', () => {
  const numbers = fc.uniqueArray(fc.integer({ min: -1000, max: 1000 }), { minLength: 1 })
  fc.assert(
    fc.property(numbers, fc.double({ min: -1200, max: 1200, noNaN: true }), (all, value) => {
      const x = all.toSorted((a, b) => a - b)
      const distance = (i: number): number => Math.abs(x[i]! - value)
      const least = Math.min(...x.map((_, i) => distance(i)))
      expect(distance(nearestIndex(x, value))).toBe(least)
    }),
  )
})

describe('ticks of times', () => {
  it('are whole hours of local time', () => {
    const offset = 5.5 * 3_600_000
    const start = Date.UTC(2026, 0, 1)
    const { ticks, areDays } = timeTicksOf(start, start + 5 * 3_600_000, 5, offset)
    expect(areDays).toBe(false)
    expect(ticks.map((tick) => (tick + offset) % 3_600_000)).toEqual([0, 0, 0, 0, 0])
  })

  it('are days for a long range, and never too many', () => {
    const year = 365 * 86_400_000
    expect(timeTicksOf(0, year, 6).areDays).toBe(true)
    fc.assert(
      fc.property(fc.nat(1e12), fc.integer({ min: 1, max: 1e11 }), (low, span) => {
        const { ticks } = timeTicksOf(low, low + span, 6)
        expect(ticks.length).toBeLessThanOrEqual(7)
        expect(ticks.every((tick) => tick >= low && tick <= low + span)).toBe(true)
      }),
    )
  })
})

describe('ticks along an axis', () => {
  it('are round numbers', () => {
    expect(ticksOf(50, 500, 8)).toEqual([100, 200, 300, 400, 500])
    expect(ticksOf(-0.12, 0.31, 5)).toEqual([-0.1, 0, 0.1, 0.2, 0.3])
  })

  it('are a single tick for equal bounds', () => {
    expect(ticksOf(3, 3, 5)).toEqual([3])
  })

  it('are ascending, within the bounds, and about as many as wanted', () => {
    const bound = fc.double({ min: -1e6, max: 1e6, noNaN: true })
    const width = fc.double({ min: 1e-3, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(bound, width, fc.integer({ min: 2, max: 10 }), (low, span, wanted) => {
        const ticks = ticksOf(low, low + span, wanted)
        const slack = 1e-6 * (Math.abs(low) + span)
        expect(ticks.length).toBeLessThanOrEqual(wanted + 1)
        expect(ticks.every((tick, i) => i === 0 || tick > ticks[i - 1]!)).toBe(true)
        expect(ticks.every((tick) => tick >= low - slack && tick <= low + span + slack)).toBe(true)
      }),
    )
  })
})
