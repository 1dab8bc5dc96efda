import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { movedBy, openScored, randomTargets } from '../../../test/check-loss.ts'
import { expectClose } from '../../../test/kernel-workspace.ts'
import { createRandom } from '../../core/random.ts'
import { createEngine } from '../../kernels/index.ts'
import type { Engine } from '../../kernels/index.ts'
import type { Loss, Scored, Targets } from './loss.ts'
import { sampled, createSampler } from './sampled.ts'
import { softmax } from './softmax.ts'

const sizes = { positions: 4, itemCount: 7, width: 3, withBias: true }
const support = Float64Array.of(1, 2, 4, 8, 16, 32, 64)
const crossEntropy = (options = {}) =>
  sampled({ kind: 'cross-entropy', negatives: 5, support, alpha: 0.5, ...options })

describe('a sampled loss', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine({ kernel: 'reference' })
  })

  const open = (seed: number): Scored => openScored(engine, sizes, createRandom(seed))

  /** Returns the loss and all gradients in one list. */
  function resultOf(loss: Loss, scored: Scored, targets: Targets, candidates: number[]): number[] {
    const moved = Object.values(movedBy(scored))
    for (const [, gradient] of moved) gradient.values.fill(0)
    const value = loss.apply(scored, targets, Int32Array.from(candidates))
    return [value, ...moved.flatMap(([, gradient]) => [...gradient.values])]
  }

  it('equals the full softmax if every item is drawn once', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 7 }), (seed, count) => {
        const random = createRandom(seed)
        const items = random.choose(count, 7) // distinct, so that no target is a column twice
        const targets = { ...randomTargets(count, sizes, random), items }
        const rest = [0, 1, 2, 3, 4, 5, 6].filter((item) => !items.includes(item))
        const scored = open(seed)
        expectClose(
          resultOf(crossEntropy(), scored, targets, rest),
          resultOf(softmax(), scored, targets, []),
          1e-6,
        )
      }),
      { numRuns: 30 },
    )
  })

  it('counts an item as often as it was drawn', () => {
    const scored = openScored(engine, { ...sizes, positions: 1 }, createRandom(1))
    const targets = randomTargets(1, { ...sizes, positions: 1 }, createRandom(2))
    const [once] = resultOf(crossEntropy(), scored, targets, [3])
    const [twice] = resultOf(crossEntropy(), scored, targets, [3, 3])
    // e^loss − 1 is the weight of all negatives relative to the target.
    expect(Math.expm1(twice!)).toBeCloseTo(2 * Math.expm1(once!), 4)
  })

  it('subtracts ln support from in-batch columns and alpha·ln support from drawn ones with logQ', () => {
    const scored = open(1)
    const targets = { ...randomTargets(2, sizes, createRandom(2)), items: Int32Array.of(6, 3) }
    const corrected = resultOf(crossEntropy({ logQ: 0.7 }), scored, targets, [5])
    const score = (row: number, item: number): number => {
      let sum = scored.bias!.value.values[item]!
      for (let i = 0; i < 3; i++) {
        sum += scored.theta.values[row * 3 + i]! * scored.items.values[item * 3 + i]!
      }
      return sum
    }
    const losses = [...targets.rows].map((row, i) => {
      const logits = [
        score(row, 6) - 0.7 * Math.log(64),
        score(row, 3) - 0.7 * Math.log(8),
        score(row, 5) - 0.7 * 0.5 * Math.log(32),
      ]
      return Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0)) - logits[i]!
    })
    expect(corrected[0]).toBeCloseTo((losses[0]! + losses[1]!) / 2, 5)
  })

  it('corrects by the support of the items, not of the gathered rows', () => {
    const targets = randomTargets(3, sizes, createRandom(1))
    const scored = open(1)
    const whole = resultOf(crossEntropy({ logQ: 1 }), scored, targets, [1])[0]
    // The same seven items in another order.
    const order = Int32Array.of(3, 0, 6, 1, 5, 2, 4)
    const shuffled = { ...open(1), itemOf: (row: number) => order[row]! }
    for (const [row, item] of order.entries()) {
      const [from, to] = [scored.items.values.subarray(item * 3, item * 3 + 3), row * 3]
      shuffled.items.values.set(from, to)
      shuffled.bias!.value.values[row] = scored.bias!.value.values[item]!
    }
    const rowOf = (item: number) => order.indexOf(item)
    const moved = { ...targets, items: targets.items.map(rowOf) }
    expect(resultOf(crossEntropy({ logQ: 1 }), shuffled, moved, [rowOf(1)])[0]).toBeCloseTo(
      whole!,
      6,
    )
  })

  it('treats an item without a support as unseen', () => {
    const known = sampled({
      kind: 'cross-entropy',
      negatives: 2,
      support: support.subarray(0, 4),
      alpha: 1,
      logQ: 1,
    })
    const targets = { ...randomTargets(2, sizes, createRandom(1)), items: Int32Array.of(6, 5) }
    expect(resultOf(known, open(1), targets, [4]).every(Number.isFinite)).toBe(true)
  })

  it('divides gradients by the nominal rows in a smaller batch, and reports its own mean loss', () => {
    const scored = open(1)
    const targets = randomTargets(3, sizes, createRandom(2))
    const [loss, ...gradient] = resultOf(crossEntropy(), scored, targets, [0, 1])
    const [same, ...less] = resultOf(crossEntropy({ nominalRows: 12 }), scored, targets, [0, 1])
    expect(same).toBe(loss)
    expectClose(
      less,
      gradient.map((value) => value / 4),
      1e-6,
    )
  })

  it('draws the requested number of negatives, new ones for each step, by its seed', () => {
    const random = createRandom(1)
    const targets = randomTargets(2, sizes, random)
    const loss = crossEntropy({ negatives: 50 })
    const [first, second] = [loss.candidates(targets, random), loss.candidates(targets, random)]
    expect(first).toHaveLength(50)
    expect(second).not.toEqual(first)
    const again = createRandom(1)
    randomTargets(2, sizes, again)
    expect(loss.candidates(targets, again)).toEqual(first)
  })

  it.each([
    [{ kind: 'hinge' as 'bpr-max' }, 'kind must be cross-entropy or bpr-max, got "hinge"'],
    [{ negatives: -1 }, 'negatives must be an integer of at least 0'],
    [{ negatives: 2.5 }, 'negatives must be an integer of at least 0'],
    [{ alpha: Number.NaN }, 'alpha must be a finite number'],
    [{ logQ: Infinity }, 'logQ must be a finite number'],
    [{ regularization: -1 }, 'regularization must be a finite number of at least 0'],
    [{ nominalRows: 0 }, 'nominalRows must be a positive number'],
    [{ support: Float64Array.of(1, -1, 5) }, 'support[1] must be a finite number of at least 0'],
    [{ support: Float64Array.of(1, Number.NaN) }, 'support[1] must be a finite number'],
  ])('refuses %o', (options, message) => {
    expect(() => crossEntropy(options)).toThrow(
      expect.objectContaining({
        code: 'invalid-argument',
        message: expect.stringContaining(`sampled.${message}`),
      }),
    )
  })

  it('refuses supports for more items than the catalog has', () => {
    const targets = randomTargets(2, sizes, createRandom(1))
    const draw = (itemCount: number) =>
      crossEntropy().candidates(targets, createRandom(1), itemCount)
    expect(() => draw(6)).toThrow(
      expect.objectContaining({
        code: 'shape-mismatch',
        message: 'sampled.support must have at most 6 values, one per item, got 7',
      }),
    )
    expect(draw(8)).toEqual(draw(7))
  })
})

const countsOf = (weights: readonly number[], draws: number, seed: number): Float64Array => {
  const counts = new Float64Array(weights.length)
  const drawn = createSampler(Float64Array.from(weights))(draws, createRandom(seed))
  for (const item of drawn) counts[item]! += 1
  return counts
}

describe('the sampler', () => {
  it.each([
    { name: 'equal weights', weights: [1, 1, 1, 1] },
    { name: 'powers of a popularity', weights: [1, 2, 4, 8, 16, 32].map((n) => n ** 0.75) },
    { name: 'one item above all others', weights: [1e-3, 1000, 1e-3] },
    { name: 'items of no weight', weights: [0, 3, 0, 0, 1, 0] },
    { name: 'a single item', weights: [7] },
  ])('draws in proportion to $name', ({ weights }) => {
    const draws = 40_000
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    const counts = countsOf(weights, draws, 1)
    for (const [item, weight] of weights.entries()) {
      const share = weight / total
      // Five standard deviations of a binomial count, plus one draw.
      const slack = 5 * Math.sqrt(draws * share * (1 - share)) + 1
      expect(Math.abs(counts[item]! - draws * share)).toBeLessThan(weight === 0 ? 1e-9 : slack)
    }
  })

  it('never draws an item with a weight of 0', () => {
    const weight = fc.oneof(fc.constant(0), fc.double({ min: 1e-9, max: 1e9, noNaN: true }))
    fc.assert(
      fc.property(fc.array(weight, { minLength: 1, maxLength: 30 }), fc.nat(), (weights, seed) => {
        fc.pre(weights.some((w) => w > 0))
        const counts = countsOf(weights, 300, seed)
        expect(weights.every((w, item) => w > 0 || counts[item] === 0)).toBe(true)
      }),
    )
  })

  it.each([[[]], [[0, 0]], [[1, Number.NaN]], [[1, Number.POSITIVE_INFINITY]]])(
    'refuses the weights %j',
    (weights) => {
      const error = expect.objectContaining({ code: 'invalid-argument' })
      expect(() => createSampler(Float64Array.from(weights))).toThrow(error)
    },
  )
})
