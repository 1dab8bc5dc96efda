// BaseREN and SupREN in an exactly known linear world: 28 items, each with two of 8 entries 1/√2, a
// user with 3 entries 1/√3, noise uniform in ±0.1. Uniform picks have a regret of 0.5103 per round.

import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '../core/random.ts'
import { createBaseRen } from './base-ren.ts'
import { createSupRen } from './sup-ren.ts'

const dimension = 8
const itemCount = 28
const horizon = 1000
const problem = { dimension, itemCount, horizon, delta: 0.1 }
const exact = new Float64Array(itemCount)
const uniformRegret = horizon * (2 / Math.sqrt(6) - 1.5 / Math.sqrt(24))
const seeds = [11, 12, 13]

interface World {
  readonly contexts: Float64Array
  readonly means: readonly number[]
  readonly best: number
  readonly random: Random
}

function createWorld(seed: number): World {
  const random = createRandom(seed)
  const liked = new Set(random.choose(3, dimension))
  const contexts = new Float64Array(itemCount * dimension)
  const means: number[] = []
  for (let i = 0; i < dimension; i++) {
    for (let j = i + 1; j < dimension; j++) {
      const start = means.length * dimension
      contexts[start + i] = Math.SQRT1_2
      contexts[start + j] = Math.SQRT1_2
      means.push((Number(liked.has(i)) + Number(liked.has(j))) / Math.sqrt(6))
    }
  }
  return { contexts, means, best: Math.max(...means), random }
}

function rewardOf({ means, random }: World, item: number): number {
  return means[item]! + 0.2 * random.uniform() - 0.1
}

function runBaseRen(seed: number) {
  const world = createWorld(seed)
  const { contexts, means, best } = world
  const base = createBaseRen(problem)
  let regret = 0
  let violations = 0
  for (let round = 1; round <= horizon; round++) {
    for (let item = 0; item < itemCount; item++) {
      const { relevance, width } = base.estimate(contexts, exact, item)
      if (Math.abs(relevance - means[item]!) > width) violations += 1
    }
    const { item } = base.choose(contexts, exact)
    const context = [...contexts.subarray(item * dimension, (item + 1) * dimension)]
    base.observe({ round, context, reward: rewardOf(world, item) })
    regret += best - means[item]!
  }
  return { regret, violations }
}

function runSupRen(seed: number, scale: number) {
  const world = createWorld(seed)
  const sup = createSupRen({ ...problem, scale })
  let regret = 0
  for (let round = 1; round <= horizon; round++) {
    const { item } = sup.choose(world.contexts, exact)
    sup.observe(rewardOf(world, item))
    regret += world.best - world.means[item]!
  }
  return { regret, explored: sup.levels.flat().length / horizon }
}

describe.each(seeds)('a known linear world, seed %i', (seed) => {
  it('has a much lower regret with BaseREN than with uniform picks, and every estimate is within its width', () => {
    const { regret, violations } = runBaseRen(seed)
    expect(regret).toBeLessThan(uniformRegret / 4)
    expect(violations).toBe(0)
  })

  it("makes SupREN explore in nearly every round with the paper's constants", () => {
    const { regret, explored } = runSupRen(seed, 1)
    expect(explored).toBeGreaterThan(0.95)
    expect(regret).toBeGreaterThan(0.9 * uniformRegret)
  })

  it('has a low regret with SupREN if its widths are scaled down', () => {
    const { regret, explored } = runSupRen(seed, 0.1)
    expect(explored).toBeLessThan(0.8)
    expect(regret).toBeLessThan(uniformRegret / 8)
  })
})
