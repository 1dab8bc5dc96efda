import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gini, mean, sum } from '../../core/statistics.ts'
import type { ServedItem } from '../../storage/index.ts'
import { LiveMetrics, type SlateServed } from './live-metrics.ts'
import type { Figures } from '../schemas/figures.ts'

const itemOf = (item: string, terms: Partial<ServedItem> = {}): ServedItem => ({
  item,
  score: 1,
  relevance: 1,
  diversity: 0,
  uncertainty: 0,
  ...terms,
})
const slateOf = (items: readonly string[], more: Partial<SlateServed> = {}): SlateServed => ({
  recommendationId: 'r',
  user: 'ann',
  variant: 'ren',
  policy: 'ren',
  items: items.map((item) => itemOf(item)),
  itemCount: 10,
  time: 0,
  ...more,
})

function open(options: { window?: number; remembered?: number; variants?: string[] } = {}) {
  let now = 0
  const metrics = new LiveMetrics({ variants: ['ren'], clock: () => now, ...options })
  const variantOf = (name = 'ren'): Figures =>
    metrics.figures().variants.find((variant) => variant.name === name)!
  const take = (item: string, reward: number, recommendationId?: string, user = 'ann') =>
    metrics.feedback({
      user,
      item,
      reward,
      time: now,
      ...(recommendationId !== undefined && { recommendationId }),
    })
  return { metrics, variantOf, take, setTime: (time: number) => void (now = time) }
}

describe('live figures', () => {
  it('list every variant from the start, with null before the first slate', () => {
    const { metrics } = open({ variants: ['ren', 'greedy'] })
    const { window, variants, policies, series } = metrics.figures()
    expect([window, policies, series]).toEqual([1000, [], []])
    expect(variants.map(({ name }) => name)).toEqual(['ren', 'greedy'])
    expect(variants[1]).toEqual({
      name: 'greedy',
      slates: 0,
      reward: null,
      clickRate: null,
      coverage: null,
      gini: null,
      explorationShare: null,
    })
  })

  it('equal the sums over the last slates', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'] as const
    const step = fc.record({
      variant: fc.constantFrom('ren', 'greedy'),
      policy: fc.constantFrom('ren', 'random'),
      items: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }),
      terms: fc.record({
        score: fc.double({ min: -2, max: 2, noNaN: true }),
        relevance: fc.double({ min: -2, max: 2, noNaN: true }),
      }),
      itemCount: fc.integer({ min: 6, max: 9 }),
      // The slate that the feedback is for, the item and the reward.
      answers: fc.array(
        fc.tuple(fc.nat({ max: 9 }), fc.constantFrom(...names), fc.integer({ min: -2, max: 4 })),
      ),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { metrics } = open({ window: 4, variants: ['ren', 'greedy'] })
        const all = steps.map((one) => ({ ...one, reward: 0, clicks: 0 }))
        for (const [at, { variant, policy, items, terms, itemCount, answers }] of all.entries()) {
          metrics.served(
            slateOf([], {
              variant,
              policy,
              itemCount,
              recommendationId: `r${at}`,
              items: items.map((item) => itemOf(item, terms)),
            }),
          )
          for (const [back, item, reward] of answers) {
            const recommendationId = `r${at - back}`
            metrics.feedback({ recommendationId, user: 'ann', item, reward, time: 0 })
            const slate = all[at - back]
            if (!slate?.items.includes(item)) continue
            slate.reward += reward
            slate.clicks += Number(reward > 0)
          }
        }
        const figures = metrics.figures()
        for (const [kind, list] of [
          ['variant', figures.variants],
          ['policy', figures.policies],
        ] as const) {
          for (const { name, ...rolling } of list) {
            const last = all.filter((slate) => slate[kind] === name).slice(-4)
            expect(rolling.slates).toBe(last.length)
            if (last.length === 0) continue
            const { itemCount } = last.at(-1)
            const counts = names.map(
              (item) => last.filter(({ items }) => items.includes(item)).length,
            )
            expect(rolling.reward).toBeCloseTo(mean(last.map(({ reward }) => reward)), 9)
            expect(rolling.clickRate).toBeCloseTo(
              last.filter(({ clicks }) => clicks > 0).length / last.length,
              9,
            )
            expect(rolling.coverage).toBeCloseTo(counts.filter(Boolean).length / itemCount, 9)
            expect(rolling.gini).toBeCloseTo(gini(counts, itemCount), 9)
            expect(rolling.explorationShare).toBeGreaterThanOrEqual(0)
            expect(rolling.explorationShare).toBeLessThanOrEqual(1)
          }
        }
      }),
    )
  })

  it('have a Gini coefficient near 1 for one item, and 0 for equal items', () => {
    const { metrics, variantOf } = open()
    for (let i = 0; i < 10; i++) metrics.served(slateOf(['a'], { recommendationId: `r${i}` }))
    expect(variantOf()).toMatchObject({ coverage: 0.1, gini: 0.9 })
    const even = open()
    for (let i = 0; i < 20; i++) {
      even.metrics.served(slateOf([`item ${i % 10}`], { recommendationId: `r${i}` }))
    }
    expect(even.variantOf()).toMatchObject({ coverage: 1, gini: 0 })
  })

  it('have a coverage of at most 1, even after items were removed', () => {
    const { metrics, variantOf } = open()
    metrics.served(slateOf(['a', 'b', 'c'], { recommendationId: 'r1' }))
    metrics.served(slateOf(['d'], { recommendationId: 'r2', itemCount: 1 }))
    expect(variantOf()).toMatchObject({ coverage: 1, gini: 0 })
  })

  it.each([
    [{ score: 1, relevance: 1 }, 0],
    [{ score: 0, relevance: 0 }, 0],
    [{ score: 4, relevance: 3 }, 0.25],
    [{ score: 0, relevance: -1 }, 0.5],
    [{ score: 2, relevance: 0 }, 1],
  ])('compute the exploration share of %o', (terms, share) => {
    const { metrics, variantOf } = open()
    const pinned = itemOf('b', { score: 9, relevance: 0, pinned: true })
    metrics.served(slateOf([], { items: [itemOf('a', terms), pinned] }))
    expect(variantOf().explorationShare).toBeCloseTo(share, 12)
  })
})

describe('feedback', () => {
  it('counts for the named slate, or else for the user’s last slate', () => {
    const { metrics, variantOf, take } = open()
    metrics.served(slateOf(['a', 'b'], { recommendationId: 'r1' }))
    metrics.served(slateOf(['a', 'c'], { recommendationId: 'r2' }))
    metrics.served(slateOf(['a', 'd'], { recommendationId: 'r3', user: 'bob' }))
    take('b', 1, 'r1')
    take('c', 1)
    take('a', 1, 'r1')
    expect(variantOf()).toMatchObject({ slates: 3, reward: 1, clickRate: 2 / 3 })
  })

  it('with a reward of 0 or less is no click', () => {
    const { metrics, variantOf, take } = open()
    metrics.served(slateOf(['a', 'b'], { recommendationId: 'r1' }))
    take('a', 0, 'r1')
    take('b', -1, 'r1')
    expect(variantOf()).toMatchObject({ reward: -1, clickRate: 0 })
    expect(sum(metrics.figures().series.map(({ clicks }) => clicks))).toBe(0)
    take('b', 0.5, 'r1')
    expect(variantOf()).toMatchObject({ reward: -0.5, clickRate: 1 })
  })

  it('without a matching slate changes nothing', () => {
    const { metrics, variantOf, take } = open()
    metrics.served(slateOf(['a', 'b'], { recommendationId: 'r1' }))
    take('c', 1, 'r1')
    take('a', 1, 'unknown')
    take('a', 1, undefined, 'bob')
    expect(variantOf()).toMatchObject({ reward: 0, clickRate: 0 })
    expect(sum(metrics.figures().series.map(({ clicks }) => clicks))).toBe(0)
  })

  it('counts for all remembered slates, even if the figures no longer cover them', () => {
    const { metrics, take } = open({ window: 2, remembered: 5 })
    for (let i = 1; i <= 8; i++) {
      metrics.served(slateOf(['a'], { recommendationId: `r${i}`, user: `user ${i}` }))
    }
    for (let i = 1; i <= 8; i++) {
      take('a', 1, `r${i}`)
      take('a', 1, undefined, `user ${i}`)
    }
    const { series, variants } = metrics.figures()
    expect(series).toEqual([
      { time: 0, seconds: 1, variant: 'ren', slates: 8, reward: 10, clicks: 10 },
    ])
    expect(variants[0]).toMatchObject({ slates: 2, reward: 2, clickRate: 1 })
  })

  it('of an erased user changes nothing', () => {
    const { metrics, variantOf, take } = open()
    metrics.served(slateOf(['a'], { recommendationId: 'r1' }))
    metrics.eraseUser('ann')
    take('a', 1, 'r1')
    take('a', 1)
    expect(variantOf()).toMatchObject({ slates: 1, reward: 0 })
  })
})

describe('the series', () => {
  it('has a point for each second and each variant, in order of time', () => {
    const { metrics, take, setTime } = open({ variants: ['ren', 'greedy'] })
    const serve = (time: number, variant: string, recommendationId: string) => {
      setTime(time)
      metrics.served(slateOf(['a'], { time, variant, recommendationId }))
    }
    serve(25_000, 'ren', 'r1')
    serve(25_999, 'greedy', 'r2')
    serve(26_000, 'ren', 'r3')
    take('a', 0.5, 'r1')
    expect(metrics.figures().series).toEqual([
      { time: 25_000, seconds: 1, variant: 'ren', slates: 1, reward: 0, clicks: 0 },
      { time: 25_000, seconds: 1, variant: 'greedy', slates: 1, reward: 0, clicks: 0 },
      { time: 26_000, seconds: 1, variant: 'ren', slates: 1, reward: 0.5, clicks: 1 },
    ])
  })

  it('has intervals of ten seconds before the last ten minutes, without counting twice', () => {
    const { metrics, setTime } = open()
    const from = 1_000_000
    for (let time = from; time < from + 1_500_000; time += 500) {
      setTime(time)
      metrics.served(slateOf(['a'], { time, recommendationId: `r${time}` }))
    }
    const { series } = metrics.figures()
    expect(sum(series.map(({ slates }) => slates))).toBe(3000)
    const border = series.findIndex(({ seconds }) => seconds === 1)
    expect(series[border]!.time).toBe(from + 1_500_000 - 610_000)
    for (const [i, { time, seconds, slates }] of series.entries()) {
      expect([seconds, slates]).toEqual(i < border ? [10, 20] : [1, 2])
      if (i > 0) expect(time).toBe(series[i - 1]!.time + 1000 * series[i - 1]!.seconds)
    }
  })

  it('is limited to the last seconds on request', () => {
    const { metrics, setTime } = open()
    for (let time = 0; time <= 700_000; time += 1000) {
      setTime(time)
      metrics.served(slateOf(['a'], { time, recommendationId: `r${time}` }))
    }
    const all = metrics.figures().series
    for (const seconds of [1, 60, 650]) {
      const { series } = metrics.figures(seconds)
      expect(series).toEqual(all.filter(({ time }) => time > 700_000 - 1000 * seconds))
      expect(series.length).toBeGreaterThan(0)
    }
  })

  it('covers at most one hour', () => {
    const { metrics, setTime } = open()
    for (let time = 0; time < 8_000_000; time += 10_000) {
      setTime(time)
      metrics.served(slateOf(['a'], { time, recommendationId: `r${time}` }))
    }
    const { series } = metrics.figures()
    expect(series).toHaveLength(360)
    expect(series[0]!.time).toBe(7_990_000 - 359 * 10_000)
    setTime(9_000_000)
    expect(metrics.figures().series[0]!.time).toBe(9_000_000 - 359 * 10_000)
    setTime(20_000_000)
    expect(metrics.figures().series).toEqual([])
  })

  it('tolerates a clock that goes backwards and wrong times of events', () => {
    const { metrics, take, setTime } = open()
    const day = 86_400_000
    setTime(2 * day)
    metrics.served(slateOf(['a'], { time: 2 * day, recommendationId: 'r1' }))
    metrics.feedback({ recommendationId: 'r1', user: 'ann', item: 'a', reward: 1, time: 9 * day })
    metrics.feedback({ recommendationId: 'r1', user: 'ann', item: 'a', reward: 1, time: 1 })
    setTime(day)
    metrics.served(slateOf(['a'], { time: day, recommendationId: 'r2' }))
    take('a', 1, 'r2')
    expect(metrics.figures().series).toEqual([
      { time: day, seconds: 1, variant: 'ren', slates: 1, reward: 1, clicks: 1 },
      { time: 2 * day, seconds: 1, variant: 'ren', slates: 1, reward: 1, clicks: 1 },
    ])
  })
})
