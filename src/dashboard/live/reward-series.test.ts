import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import type { ModelVersion, SeriesPoint } from '../../service/index.ts'
import { estimate, mergeSeries, rewardOverTime, versionMarks } from './reward-series.ts'

const point = (time: number, variant: string, slates: number, reward: number): SeriesPoint => ({
  time,
  seconds: 1,
  variant,
  slates,
  reward,
  clicks: reward,
})
const minute = 60_000

describe('mergeSeries', () => {
  it('uses received points from their first on, and retains earlier ones', () => {
    const held = [point(1000, 'a', 1, 1), point(2000, 'a', 1, 0), point(3000, 'a', 1, 0)]
    const received = [point(2000, 'a', 2, 1), point(4000, 'a', 1, 1)]
    expect(mergeSeries(held, received)).toEqual([held[0], ...received])
    expect(mergeSeries(held, [])).toEqual(held)
    expect(mergeSeries([], received)).toEqual(received)
  })

  it('drops points older than one hour', () => {
    const held = [point(0, 'a', 1, 1), point(minute, 'a', 1, 1)]
    const received = [point(60 * minute, 'a', 1, 1)]
    expect(mergeSeries(held, received)).toEqual([held[1], ...received])
  })

  it('gives the same result in overlapping pieces as at once', () => {
    const times = fc.uniqueArray(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 40 })
    const overlap = 3
    const steps = fc.array(fc.integer({ min: 0, max: overlap }), { maxLength: 20 })
    fc.assert(
      fc.property(times, steps, (seconds, ahead) => {
        const all = seconds.toSorted((a, b) => a - b).map((s) => point(1000 * s, 'a', 1, s % 2))
        let [held, cut]: [readonly SeriesPoint[], number] = [[], 0]
        for (const step of ahead) {
          const from = Math.max(0, cut - overlap)
          cut = Math.min(all.length, cut + step)
          held = mergeSeries(held, all.slice(from, cut))
        }
        expect(held).toEqual(all.slice(0, cut))
      }),
    )
  })
})

describe('rewardOverTime', () => {
  it('has the mean reward per slate and policy, over its variants and the last minute', () => {
    const series = [
      point(0, 'ren 1', 1, 0),
      point(1000, 'ren 1', 2, 2),
      point(1000, 'ren 2', 2, 1),
      point(2000, 'plain', 4, 1),
      point(minute, 'ren 1', 1, 1),
    ]
    const variants = [
      { name: 'ren 1', policy: 'ren' },
      { name: 'ren 2', policy: 'ren' },
      { name: 'plain', policy: null },
      { name: 'idle', policy: 'random' },
    ]
    const { x, lines } = rewardOverTime(series, variants)
    expect(x).toEqual([0, 1000, 2000, minute])
    expect(lines.map(({ label, values }) => [label, values])).toEqual([
      // The slate at 0 is a minute old at the end.
      ['ren', [0, 3 / 5, 3 / 5, 4 / 5]],
      ['plain', [null, null, 0.25, 0.25]],
      ['random', [null, null, null, null]],
    ])
  })

  it('has bands around means, and none without a mean', () => {
    const reward = fc.float({ min: 0, max: 5, noNaN: true })
    const stretch = fc.record({ slates: fc.nat(5), reward })
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 30 }), (stretches) => {
        const series = stretches.map((each, i) => point(5000 * i, 'a', each.slates, each.reward))
        const [line] = rewardOverTime(series, []).lines
        line?.values.forEach((value, i) => {
          const [low, high] = [line.low![i]!, line.high![i]!]
          if (value === null || i < 4) expect([low, high]).toEqual([null, null])
          else expect(low <= value && value <= high).toBe(true)
        })
      }),
    )
  })
})

describe('estimate', () => {
  it('is the interval of Student’s t for intervals of one slate each', () => {
    const rewards = [0, 1, 1, 0, 1]
    const { mean, reach } = estimate(rewards.map((reward, time) => ({ time, slates: 1, reward })))!
    expect(mean).toBeCloseTo(0.6)
    // s = √0.3, t(0.975; 4) = 2.7764
    expect(reach!).toBeCloseTo((2.7764 * Math.sqrt(0.3)) / Math.sqrt(5), 4)
  })

  it('is null if nothing was served', () => {
    expect(estimate([])).toBeNull()
    expect(estimate([{ time: 0, slates: 0, reward: 1 }])).toBeNull()
  })
})

const version = (number: number, time: number, group = 'ren'): ModelVersion => ({
  group,
  version: number,
  time,
  position: 0,
  loss: null,
  heldOut: null,
  origin: 'fine-tuned',
  quality: null,
  live: null,
  trainedOn: null,
  reward: null,
  slates: 0,
  available: true,
})

test('marks show the versions within the chart, and name the model group if there are several', () => {
  const versions = [version(2, 300), version(1, 150), version(0, 50)]
  expect(versionMarks(versions, [100, 400])).toEqual([
    { x: 300, label: 'v2' },
    { x: 150, label: 'v1' },
  ])
  expect(versionMarks([version(1, 150), version(4, 300, 'greedy')], [100, 400])[0]).toEqual({
    x: 300,
    label: 'greedy v4',
  })
  expect(versionMarks([], [])).toEqual([])
})

test('marks do not overlap, however many versions there are', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000)), (times) => {
      const marks = versionMarks(
        times.map((time, i) => version(i, time)),
        [0, 1000],
      )
      expect(marks.every(({ x }, i) => i === 0 || marks[i - 1]!.x - x >= 100)).toBe(true)
      expect(marks.length > 0).toBe(times.length > 0)
    }),
  )
})
