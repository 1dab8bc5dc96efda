import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '../core/random.ts'
import type { Observation } from './base-ren.ts'
import { createSupRen, type SupRenChoice, type SupRenOptions } from './sup-ren.ts'
import { confidenceWeights } from './theory.ts'

const problem = { horizon: 100, itemCount: 2, dimension: 2, delta: 0.1 }
const axes = Float64Array.of(1, 0, 0, 1)
const certain = [0, 0]

/** Options under which the width of an item is `width`·s as long as its uncertainty is 0. */
function withWidth(width: number): SupRenOptions {
  return { ...problem, scale: width / confidenceWeights(problem).diversityWeight }
}

/** A SupREN at round 2 whose first level has explored item 1 and received this reward. */
function afterItem1(width: number, reward: number) {
  const sup = createSupRen(withWidth(width))
  sup.choose(axes, [0, 5])
  sup.observe(reward)
  expect(sup.levels).toEqual([[{ round: 1, context: [0, 1], reward }], [], [], [], []])
  return sup
}

function code(expected: string): unknown {
  return expect.objectContaining({ name: 'RenError', code: expected })
}

describe('each branch of the algorithm, at T = 100: 5 levels and 1/√T = 0.1', () => {
  it('explores the widest item if a width is above 2⁻ˢ, and that level learns', () => {
    const sup = createSupRen(withWidth(1))
    const first = sup.choose(axes, certain)
    expect(first).toMatchObject({ item: 0, level: 1, reason: 'explore', survivors: [0, 1] })
    sup.observe(0.7)
    const learned = [{ round: 1, context: [1, 0], reward: 0.7 }]
    expect(sup.levels).toEqual([learned, [], [], [], []])
    expect(sup.round).toBe(2)
    // Item 0 now has s = 1/√2, item 1 still 1.
    const second = sup.choose(axes, certain)
    expect(second).toMatchObject({ item: 1, level: 1, reason: 'explore' })
    expect(second.width).toBeCloseTo(1, 12)
  })

  it('picks the highest upper bound if all widths are at most 1/√T, and no level learns', () => {
    const sup = afterItem1(0.09, 1)
    // Item 0: 0 + 0.09. Item 1: 0.5 + 0.09/√2.
    const choice = sup.choose(axes, certain)
    expect(choice).toMatchObject({ item: 1, level: 1, reason: 'exploit', survivors: [0, 1] })
    expect(choice.upperBound).toBeCloseTo(0.5 + 0.09 * Math.SQRT1_2, 12)
    sup.observe(1)
    expect(sup.levels.map((rounds) => rounds.length)).toEqual([1, 0, 0, 0, 0])
    expect(sup.round).toBe(3)
  })

  it('goes to the next level with every item within 2¹⁻ˢ of the best', () => {
    const sup = createSupRen(withWidth(0.3))
    // Level 1: 0.3 ≤ 1/2, both bounds 0.3. Level 2: 0.3 > 1/4.
    const choice = sup.choose(axes, certain)
    expect(choice).toMatchObject({ item: 0, level: 2, reason: 'explore', survivors: [0, 1] })
    sup.observe(1)
    expect(sup.levels.map((rounds) => rounds.length)).toEqual([0, 1, 0, 0, 0])
  })

  it('eliminates an item whose bound is more than 2¹⁻ˢ below the best', () => {
    const sup = afterItem1(0.3, 4)
    // Level 1: item 0 has 0.3, item 1 has 2 + 0.3/√2. Level 2 would have picked item 0 of the two.
    const choice = sup.choose(axes, certain)
    expect(choice).toMatchObject({ item: 1, level: 2, reason: 'explore', survivors: [1] })
  })

  it('explores an item for its context uncertainty alone', () => {
    const sup = createSupRen(withWidth(0.3))
    expect(sup.choose(axes, [0, 0.5])).toMatchObject({ item: 1, level: 1, reason: 'explore' })
  })
})

describe('in any world', () => {
  it('chooses as a naive implementation of the algorithm does', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (seed) => {
        const random = createRandom(seed)
        const options = randomOptions(random)
        const sup = createSupRen(options)
        for (let round = 1; round <= options.horizon; round++) {
          const arms = randomArms(random, options)
          const expected = naiveChoice(options, sup.levels, arms.contexts, arms.uncertainty)
          expect(sup.choose(arms.contexts, arms.uncertainty)).toMatchObject(expected)
          sup.observe(random.normal())
        }
      }),
      { numRuns: 60 },
    )
  })

  it('adds each explored round to the Ψ of its level only, and other rounds to none', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (seed) => {
        const random = createRandom(seed)
        const options = randomOptions(random)
        const sup = createSupRen(options)
        const expected: number[][] = sup.levels.map(() => [])
        for (let round = 1; round <= options.horizon; round++) {
          const { contexts, uncertainty } = randomArms(random, options)
          const { level, reason } = sup.choose(contexts, uncertainty)
          if (reason === 'explore') expected[level - 1]!.push(round)
          sup.observe(random.normal())
        }
        expect(sup.levels.map((seen) => seen.map(({ round }) => round))).toEqual(expected)
      }),
      { numRuns: 60 },
    )
  })

  it('replaces a choice by a repeated one, and ignores later changes of the contexts', () => {
    const sup = createSupRen(withWidth(1))
    const contexts = axes.slice()
    sup.choose(Float64Array.of(0.5, 0.5, 0.5, -0.5), certain)
    sup.choose(contexts, certain)
    contexts.fill(9)
    sup.observe(1)
    expect(sup.levels.flat()).toEqual([{ round: 1, context: [1, 0], reward: 1 }])
  })
})

describe('SupREN refuses', () => {
  it('a reward without a choice, and a reward that is not a number', () => {
    const sup = createSupRen(problem)
    expect(() => sup.observe(1)).toThrow(code('invalid-argument'))
    sup.choose(axes, certain)
    expect(() => sup.observe(Number.NaN)).toThrow(code('non-finite-input'))
    sup.observe(1)
    expect(() => sup.observe(1)).toThrow(code('invalid-argument'))
  })

  it('arms of the wrong size, negative uncertainty and options out of range', () => {
    const sup = createSupRen(problem)
    expect(() => sup.choose(axes.subarray(1), certain)).toThrow(code('shape-mismatch'))
    expect(() => sup.choose(axes, [0, -1])).toThrow(code('invalid-argument'))
    expect(() => createSupRen({ ...problem, horizon: 0 })).toThrow(code('invalid-argument'))
    expect(() => createSupRen({ ...problem, scale: -1 })).toThrow(code('invalid-argument'))
  })
})

function randomOptions(random: Random): SupRenOptions & { readonly scale: number } {
  return {
    horizon: 1 + random.integer(40),
    itemCount: 1 + random.integer(6),
    dimension: 1 + random.integer(4),
    delta: 0.1,
    scale: 0.01 + 0.3 * random.uniform() ** 2,
  }
}

function randomArms(random: Random, { itemCount, dimension }: SupRenOptions) {
  return {
    contexts: Float64Array.from({ length: itemCount * dimension }, () => random.normal()),
    uncertainty: Float64Array.from({ length: itemCount }, () => 0.05 * random.uniform()),
  }
}

/** The supplement's Algorithm 2 line by line, with a dense A for every level. */
function naiveChoice(
  options: SupRenOptions & { readonly scale: number },
  rounds: readonly (readonly Observation[])[],
  contexts: Float64Array,
  uncertainty: Float64Array,
): Partial<SupRenChoice> {
  const { dimension: d, itemCount, horizon: T, scale } = options
  const { diversityWeight, uncertaintyWeight } = confidenceWeights(options)
  let arms = Array.from({ length: itemCount }, (_, item) => item)
  for (let s = 1; ; s++) {
    const inverse = inverseDesign(rounds[s - 1]!, d)
    const theta = inverse.map((row) =>
      dot(
        row,
        sumOf(
          rounds[s - 1]!.map(({ context, reward }) => context.map((x) => x * reward)),
          d,
        ),
      ),
    )
    const width = (k: number) => {
      const x = [...contexts.subarray(k * d, k * d + d)]
      const diversity = Math.sqrt(
        dot(
          x,
          inverse.map((row) => dot(row, x)),
        ),
      )
      return scale * (diversityWeight * diversity + uncertaintyWeight * uncertainty[k]!)
    }
    const bound = (k: number) => dot([...contexts.subarray(k * d, k * d + d)], theta) + width(k)
    const highest = Math.max(...arms.map(bound))
    if (arms.every((k) => width(k) <= 1 / Math.sqrt(T))) {
      const item = arms.find((k) => bound(k) === highest)!
      return { item, level: s, reason: 'exploit', survivors: arms }
    }
    if (!arms.every((k) => width(k) <= 2 ** -s)) {
      const widest = Math.max(...arms.map(width))
      const item = arms.find((k) => width(k) === widest)!
      return { item, level: s, reason: 'explore', survivors: arms }
    }
    arms = arms.filter((k) => bound(k) >= highest - 2 ** (1 - s))
  }
}

/** (I + Σ μμᵀ)⁻¹ by Gauss-Jordan elimination. */
function inverseDesign(rounds: readonly Observation[], d: number): number[][] {
  const rows = Array.from({ length: d }, (_, i) => [
    ...sumOf(
      rounds.map(({ context }) => context.map((x) => x * context[i]!)),
      d,
    ),
    ...Array.from({ length: d }, (_unused, j) => Number(i === j)),
  ])
  for (const [i, row] of rows.entries()) row[i]! += 1
  for (let pivot = 0; pivot < d; pivot++) {
    const scaled = rows[pivot]!.map((value) => value / rows[pivot]![pivot]!)
    for (const [i, row] of rows.entries()) {
      const factor = row[pivot]!
      rows[i] = i === pivot ? scaled : row.map((value, j) => value - factor * scaled[j]!)
    }
  }
  return rows.map((row) => row.slice(d))
}

function sumOf(vectors: readonly (readonly number[])[], d: number): number[] {
  return Array.from({ length: d }, (_, i) => vectors.reduce((sum, vector) => sum + vector[i]!, 0))
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0)
}
