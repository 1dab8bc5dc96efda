import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { RunJob, Settings } from '../../src/experiments/protocol.ts'
import { regretBound } from './bound.ts'
import { createLinearBandit } from './linear-bandit.ts'
import { logarithmicSteps, regret } from './regret.ts'

function jobOf(method: string, settings: Settings, world: Settings, seed = 0): RunJob {
  return { protocol: 'regret', panel: 'p', label: method, method, settings, world, seed }
}

const play = (method: string, settings: Settings, world: Settings, seed = 0) =>
  regret.run(jobOf(method, settings, world, seed), () => {})

async function meanOf(measure: string, method: string, settings: Settings, steps: number) {
  const rows = await Promise.all([0, 1, 2].map((seed) => play(method, settings, { steps }, seed)))
  return rows.reduce((sum, row) => sum + row.measures[measure]!, 0) / rows.length
}

describe('in exact contexts, T = 1000, seeds 0 to 2', () => {
  // The results of another implementation with other seeds, and the tolerance for the seeds here.
  it.each([
    ['base-ren', { uncertainty: 'none' }, 73, 8],
    ['base-ren', { uncertainty: 'impressions' }, 468, 10],
    ['base-ren', { uncertainty: 'impressions', scale: 0.1 }, 129, 10],
    ['sup-ren', { uncertainty: 'none' }, 510, 2],
    ['sup-ren', { uncertainty: 'impressions' }, 510, 2],
    ['sup-ren', { uncertainty: 'none', scale: 0.1 }, 34, 6],
    ['sup-ren', { uncertainty: 'rounds', scale: 0.1 }, 219, 10],
    ['sup-ren', { uncertainty: 'impressions', scale: 0.1 }, 510, 4],
    ['random', {}, 510, 20],
  ])('%s with %o loses about %d', async (method, settings, expected, within) => {
    const mean = await meanOf('regretAt1000', method, settings, 1000)
    expect(Math.abs(mean - expected)).toBeLessThan(within)
  })

  it('no width at scale 1 is violated, and many are at scale 0', async () => {
    for (const method of ['base-ren', 'sup-ren']) {
      expect(await meanOf('violations', method, {}, 1000)).toBe(0)
    }
    expect(await meanOf('anyViolations', 'base-ren', {}, 1000)).toBe(0)
    expect(await meanOf('violations', 'base-ren', { scale: 0 }, 200)).toBeGreaterThan(0.9)
  })

  it('in uncertain contexts widths hold with σ and only with σ', async () => {
    const world = { steps: 500, contexts: 'uncertain' }
    const [without, reported] = await Promise.all(
      ['none', 'impressions'].map((uncertainty) => play('base-ren', { uncertainty }, world)),
    )
    expect(without!.measures['anyViolations']).toBeGreaterThan(0.9)
    expect(reported!.measures['anyViolations']).toBe(0)
  })
})

describe('a row', () => {
  const methods = fc.constantFrom('base-ren', 'sup-ren', 'lin-ucb', 'random')
  const worlds = fc.record({
    steps: fc.integer({ min: 1, max: 150 }),
    contexts: fc.constantFrom('exact', 'uncertain'),
    clip: fc.boolean(),
    looks: fc.constantFrom('shown', 'all'),
  })

  it('has a regret that never falls and is at most that of the worst item', async () => {
    await fc.assert(
      fc.asyncProperty(methods, worlds, fc.nat(1000), async (method, world, seed) => {
        const { at, series, measures } = await play(method, {}, world, seed)
        expect(at.at(-1)).toBe(world.steps)
        const curve = series['regret']!
        for (const [i, value] of curve.entries()) {
          expect(value).toBeGreaterThanOrEqual(curve[i - 1] ?? 0)
          expect(value).toBeLessThanOrEqual((2 / Math.sqrt(6)) * at[i]! + 1e-9)
        }
        expect(measures['regret']).toBe(curve.at(-1))
        const rewards = series['reward']!.map((mean, i) => mean * (at[i]! - (at[i - 1] ?? 0)))
        const total = rewards.reduce((sum, reward) => sum + reward)
        expect(total + measures['regret']!).toBeCloseTo((2 / Math.sqrt(6)) * world.steps, 8)
      }),
      { numRuns: 40 },
    )
  })

  it('has the bound at every point, and the measures that the method supports', async () => {
    const { at, series, measures } = await play('sup-ren', {}, { steps: 1000, delta: 0.2 })
    const problem = { itemCount: 28, dimension: 8, delta: 0.2 }
    expect(series['bound']).toEqual(at.map((horizon) => regretBound({ ...problem, horizon })))
    expect(measures).toMatchObject({ violations: 0, exploreShare: 1, slope: expect.closeTo(1, 2) })
    expect(Object.keys(measures)).not.toContain('regretAt10000')
    const random = await play('random', {}, { steps: 20 })
    expect(Object.keys(random.measures)).toEqual(['regret', 'slope'])
    const base = await play('base-ren', {}, { steps: 20 })
    expect(Object.keys(base.measures)).toEqual(['regret', 'slope', 'violations', 'anyViolations'])
  })

  it('is reproduced by its seed and differs between seeds', async () => {
    const world = { steps: 60, contexts: 'uncertain' }
    const valuesOf = async (seed: number) => (await play('base-ren', {}, world, seed)).series
    expect(await valuesOf(5)).toEqual(await valuesOf(5))
    expect(await valuesOf(5)).not.toEqual(await valuesOf(6))
  })
})

describe('at scale 0', () => {
  it.each(['exact', 'uncertain'] as const)(
    'BaseREN is greedy ridge in %s contexts',
    async (contexts) => {
      const steps = 40
      for (const seed of [1, 2, 3]) {
        const { at, series } = await play('base-ren', { scale: 0 }, { steps, contexts }, seed)
        const expected = greedyRidge(seed, steps, contexts)
        for (const [i, step] of at.entries()) {
          expect(series['regret']![i]).toBeCloseTo(expected[step - 1]!, 9)
        }
      }
    },
  )

  it('LinUCB is the same', async () => {
    const [base, lin] = await Promise.all([
      play('base-ren', { scale: 0 }, { steps: 100 }),
      play('lin-ucb', { bonusWeight: 0 }, { steps: 100 }),
    ])
    expect(lin.series).toEqual(base.series)
  })
})

/** Cumulative regret of ridge regression with another solver. The first of equal items wins. */
function greedyRidge(seed: number, steps: number, contexts: 'exact' | 'uncertain'): number[] {
  const bandit = createLinearBandit({ seed, contexts })
  const seen: { x: number[]; reward: number }[] = []
  const dot = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, j) => sum + value * b[j]!, 0)
  let lost = 0
  return Array.from({ length: steps }, () => {
    const theta = solveRidge(seen, dot)
    const rows = bandit.rewards.map((_, k) => [...bandit.contexts.subarray(k * 8, k * 8 + 8)])
    const scores = rows.map((row) => dot(row, theta))
    const most = Math.max(...scores)
    const item = scores.findIndex((score) => score > most - 1e-9)
    lost += Math.max(...bandit.rewards) - bandit.rewards[item]!
    seen.push({ x: rows[item]!, reward: bandit.pull(item) })
    return lost
  })
}

/** (I + Σ xxᵀ)θ = Σ r·x by conjugate gradients, which end after as many steps as dimensions. */
function solveRidge(
  seen: readonly { readonly x: number[]; readonly reward: number }[],
  dot: (a: readonly number[], b: readonly number[]) => number,
): number[] {
  const times = (v: readonly number[]) =>
    seen.reduce((sum, { x }) => sum.map((s, j) => s + x[j]! * dot(x, v)), [...v])
  let theta = Array<number>(8).fill(0)
  let residual = seen.reduce((sum, { x, reward }) => sum.map((s, j) => s + reward * x[j]!), theta)
  let direction = residual
  for (let i = 0; i < 16 && dot(residual, residual) > 1e-28; i++) {
    const image = times(direction)
    const along = dot(residual, residual) / dot(direction, image)
    theta = theta.map((t, j) => t + along * direction[j]!)
    const next = residual.map((r, j) => r - along * image[j]!)
    const turn = dot(next, next) / dot(residual, residual)
    direction = next.map((r, j) => r + turn * direction[j]!)
    residual = next
  }
  return theta
}

it('spaces points evenly by their logarithms, up to the last step', () => {
  expect(logarithmicSteps(1)).toEqual([1])
  expect(logarithmicSteps(10)).toEqual([1, 2, 3, 4, 6, 7, 10])
  expect(logarithmicSteps(15)).toEqual([1, 2, 3, 4, 6, 7, 10, 13, 15])
  expect(logarithmicSteps(100_000)).toEqual(expect.arrayContaining([1000, 10_000, 100_000]))
})

describe('the check before the first run refuses', () => {
  it.each([
    ['greedy', {}, {}, 'method must be one of base-ren, sup-ren, lin-ucb, random, got greedy'],
    ['base-ren', { weight: 1 }, {}, 'has no key "weight"'],
    ['base-ren', { scale: -1 }, {}, 'must be a number of at least 0, got -1'],
    ['sup-ren', { uncertainty: 'half' }, {}, 'none or impressions or rounds'],
    ['random', { scale: 1 }, {}, 'has no key "scale"'],
    ['random', {}, { steps: 0 }, 'must be a positive integer, got 0'],
    ['random', {}, { delta: 1 }, 'must be a number between 0 and 1, got 1'],
    ['random', {}, { contexts: 'true' }, 'exact or uncertain'],
  ])('%s with %o in %o', (method, settings, world, message) => {
    expect(() => regret.check(jobOf(method, settings, world))).toThrow(
      expect.objectContaining({ code: 'plan-invalid', message: expect.stringContaining(message) }),
    )
  })
})
