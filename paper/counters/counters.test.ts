import { slateItems } from '../../src/core/events.ts'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../src/core/random.ts'
import {
  drawBeta,
  betaSampling,
  clickRate,
  clickRateUcb,
  createCounter,
  createHindsight,
} from './counters.ts'
import { createCohorts } from '../worlds/cohorts.ts'
import type { CounterRule } from './counters.ts'
import type { Contestant } from '../../src/simulation/index.ts'
import { run } from '../../src/simulation/index.ts'
import { createSyn } from '../../src/simulation/index.ts'

const itemNames = ['a', 'b', 'c', 'd']
const open = (rule: CounterRule, seed = 1) => createCounter({ itemNames, seed, rule })

const slateOf = (
  counter: Contestant,
  more: Partial<Parameters<Contestant['recommend']>[0]> = {},
): string[] => counter.recommend({ user: 'ann', count: 4, ...more }).items.map(({ item }) => item)

const show = (counter: Contestant, items: readonly string[], rewards?: readonly number[]) =>
  counter.observe({
    kind: 'recommendation',
    user: 'ann',
    items: slateItems(items, rewards),
    time: 0,
  })

const take = (counter: Contestant, item: string, teaches = true) =>
  counter.observe({ kind: 'interaction', user: 'ann', item, reward: 1, time: 0, teaches })

describe('a counter of clicks', () => {
  it('ranks by the smoothed rate', () => {
    const counter = open(clickRate({ clicks: 1, misses: 3 }))
    // a: 2/6, b: 1/5, c: 2/5, d: 1/4
    show(counter, ['a', 'b', 'c'], [0, 0, 1])
    show(counter, ['a'], [1])
    expect(slateOf(counter)).toEqual(['c', 'a', 'd', 'b'])
  })

  it('respects candidates and excluded items', () => {
    const counter = open(clickRate())
    show(counter, ['a', 'b', 'c'], [1, 1, 0])
    expect(slateOf(counter, { candidates: ['d', 'c'] })).toEqual(['d', 'c'])
    expect(slateOf(counter, { exclude: ['a'], count: 2 })).toEqual(['b', 'd'])
  })

  it('counts a click once if both a slate and an interaction report it', () => {
    const closestTo =
      (target: number): CounterRule =>
      (rewardSum) =>
        -Math.abs(rewardSum - target)
    const counter = open(closestTo(1))
    show(counter, ['a', 'b'], [1, 0.5])
    take(counter, 'a')
    take(counter, 'b')
    show(counter, ['c'])
    take(counter, 'c')
    expect(slateOf(counter, { count: 2 }).toSorted()).toEqual(['a', 'c'])
  })

  it('does not learn from interactions that do not teach', () => {
    const counter = open(clickRate())
    show(counter, ['a'], [1])
    for (let i = 0; i < 9; i++) take(counter, 'b', false)
    expect(slateOf(counter, { count: 1 })).toEqual(['a'])
  })

  it('learns only when fine-tuned if it does not learn at once', () => {
    const counter = createCounter({ itemNames, seed: 1, rule: clickRate(), atOnce: false })
    const firsts = () =>
      new Set(Array.from({ length: 50 }, () => slateOf(counter, { count: 1 })[0]))
    show(counter, ['c'], [1])
    expect(firsts().size).toBe(4)
    counter.fineTune()
    expect(firsts()).toEqual(new Set(['c']))
  })

  it('breaks ties at random, the same for the same seed', () => {
    const counts = new Map<string, number>()
    for (let seed = 0; seed < 400; seed++) {
      const [item] = slateOf(open(clickRate(), seed), { count: 1 })
      counts.set(item!, (counts.get(item!) ?? 0) + 1)
    }
    // Expected 100 each, with a deviation of √(400·¼·¾) = 8.7.
    for (const item of itemNames) expect(Math.abs(counts.get(item)! - 100)).toBeLessThan(40)
    expect(slateOf(open(clickRate()))).toEqual(slateOf(open(clickRate())))
  })

  it('adds a bonus that decreases with the square root of the impressions', () => {
    const counter = open(clickRateUcb({ clicks: 1, misses: 1, bonusWeight: 0.6 }))
    // a: 3/5 + .6/√3 = .946, b: 1/2 + .6 = 1.1; a greedy one would show a first.
    show(counter, ['a', 'a', 'a'], [1, 1, 0])
    expect(slateOf(counter, { candidates: ['a', 'b'] })).toEqual(['b', 'a'])
  })

  it.each([
    [() => clickRate({ clicks: 0 }), 'clicks must be a positive number, got 0'],
    [() => betaSampling({ misses: NaN }), 'misses must be a positive number, got NaN'],
    [
      () => clickRateUcb({ bonusWeight: -1 }),
      'bonusWeight must be a finite number of at least 0, got -1',
    ],
  ])('refuses %s', (create, message) => {
    expect(create).toThrow(message)
  })
})

describe('Beta sampling', () => {
  it.each([
    [0.3, 3],
    [0.05, 0.1],
    [2, 5],
    [40, 1],
  ])('draws from Beta(%d, %d)', (a, b) => {
    const random = createRandom(`beta ${a} ${b}`)
    const draws = Array.from({ length: 20_000 }, () => drawBeta(a, b, random))
    const mean = draws.reduce((sum, x) => sum + x, 0) / draws.length
    const variance = draws.reduce((sum, x) => sum + (x - mean) ** 2, 0) / draws.length
    const expected = (a * b) / ((a + b) ** 2 * (a + b + 1))
    expect(Math.abs(mean - a / (a + b))).toBeLessThan(5 * Math.sqrt(expected / draws.length))
    expect(variance / expected).toBeGreaterThan(0.9)
    expect(variance / expected).toBeLessThan(1.1)
  })

  it('prefers chosen items and also tries the others', () => {
    const counter = open(betaSampling())
    for (let i = 0; i < 5; i++) show(counter, ['a', 'b'], [1, 0])
    const firsts = Array.from({ length: 200 }, () => slateOf(counter, { count: 1 })[0]!)
    expect(firsts.filter((item) => item === 'a').length).toBeGreaterThan(150)
    expect(new Set(firsts).size).toBeGreaterThan(1)
  })
})

describe('the hindsight baseline', () => {
  const users = ['ann', 'bob', 'cyd', 'dan'].map((name, u) => ({
    name,
    items: ['d', 'b', 'a', 'c'].slice(0, u + 1),
  }))
  const world = () =>
    createCohorts({ seed: 1, itemNames, users, cohorts: 2, sweeps: 2, slateSize: 1 })

  it('shows the items that most users like and have not seen', () => {
    const environment = world()
    const shown = [...run(environment, createHindsight(environment, 1))].map(
      ({ slate }) => slate[0],
    )
    expect(new Set(shown)).toEqual(new Set(['d', 'b']))
  })

  it('requires a world with known popularity', () => {
    expect(() => createHindsight(createSyn({ seed: 1, repeats: 1, steps: 5 }), 1)).toThrow(
      'the world must have known popularity, got syn',
    )
  })
})
