import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { movedBy, openScored, randomTargets } from '../../../test/check-loss.ts'
import { expectClose } from '../../../test/kernel-workspace.ts'
import { createRandom } from '../../core/random.ts'
import { createEngine } from '../../kernels/index.ts'
import type { Engine } from '../../kernels/index.ts'
import type { Loss, Scored, Targets } from './loss.ts'
import { ranking } from './ranking.ts'
import { softmax } from './softmax.ts'

const sizes = { positions: 4, itemCount: 7, width: 3, withBias: true }
const all = [0, 1, 2, 3, 4, 5, 6]

describe('the ranking loss', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine({ kernel: 'reference' })
  })

  const open = (seed: number): Scored => openScored(engine, sizes, createRandom(seed))

  function resultOf(loss: Loss, scored: Scored, targets: Targets, candidates: number[]) {
    const moved = Object.values(movedBy(scored))
    for (const [, gradient] of moved) gradient.values.fill(0)
    const value = loss.apply(scored, targets, Int32Array.from(candidates))
    return { value, gradients: moved.flatMap(([, gradient]) => [...gradient.values]) }
  }

  /** The gradient of each item's bias; a positive one lowers the bias. */
  function slopes(targets: [item: number, reward: number, row?: number][], options = {}) {
    const scored = open(1)
    resultOf(ranking(options), scored, targetsOf(targets), all)
    return scored.bias!.gradient.values
  }

  const targetsOf = (targets: [item: number, reward: number, row?: number][]): Targets => ({
    rows: Int32Array.from(targets, ([, , row = 0]) => row),
    items: Int32Array.from(targets, ([item]) => item),
    rewards: Float32Array.from(targets, ([, reward]) => reward),
  })

  it('equals the full softmax if all items are candidates and there are no negatives', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 9 }), (seed, count) => {
        const drawn = randomTargets(count, sizes, createRandom(seed))
        const targets = { ...drawn, rewards: new Float32Array(count).fill(1) }
        const [own, full] = [ranking(), softmax()].map((loss) =>
          resultOf(loss, open(seed), targets, loss.scoresAll ? [] : all),
        )
        expectClose([own!.value, ...own!.gradients], [full!.value, ...full!.gradients], 1e-5)
      }),
      { numRuns: 30 },
    )
  })

  it('does not change if the memory of the engine grows during the computation', () => {
    const targets = targetsOf([
      [2, 1],
      [4, 0],
      [5, 1, 1],
    ])
    const [plain, growing] = [open(1), open(1)]
    const { workspace } = growing
    const matrix: typeof workspace.matrix = (name, rows, columns) => {
      // Exceeds the memory, so that its buffer is replaced.
      if (name === 'dHidden') workspace.matrix('large', 1, 2 ** 23)
      return workspace.matrix(name, rows, columns)
    }
    const grown = { ...growing, workspace: { ...workspace, matrix } }
    expect(resultOf(ranking(), grown, targets, all)).toEqual(
      resultOf(ranking(), plain, targets, all),
    )
  })

  it('draws every item of a small catalog, and at least the minimum of a large one', () => {
    const targets = targetsOf([[0, 1]])
    const draw = (rows: number, itemCount: number) =>
      ranking({ candidates: 300 }).candidates(
        { ...targets, rows: new Int32Array(rows) },
        createRandom(1),
        itemCount,
      )
    expect([...draw(1, 5)]).toEqual([0, 1, 2, 3, 4])
    expect(draw(100_000, 1_000_000)).toHaveLength(300)
    expect(new Set(draw(1000, 1_000_000)).size).toBe(2097)
  })

  it('estimates the full softmax from a part of the catalog', () => {
    const scored = open(3)
    const targets = targetsOf([[2, 1]])
    const exact = resultOf(ranking(), scored, targets, all).value
    // e^loss − 1 is the weight of all other items over that of the chosen item; its mean is exact.
    const pairs = all.flatMap((a) => all.filter((b) => b > a).map((b) => [a, b]))
    const found = pairs.map((pair) => Math.expm1(resultOf(ranking(), scored, targets, pair).value))
    const mean = found.reduce((a, b) => a + b, 0) / found.length
    expect(mean).toBeCloseTo(Math.expm1(exact), 3)
  })

  it('lowers items shown and not chosen at the same moment more than other items', () => {
    const [without, beside] = [
      slopes([[2, 1]]),
      slopes([
        [2, 1],
        [4, 0],
      ]),
    ]
    expect(beside[4]).toBeGreaterThan(without[4]!)
    expect(beside[2]).toBeLessThan(0)
    for (const item of [0, 1, 3, 5, 6]) expect(beside[item]).toBeLessThan(without[item]!)
    expect([
      ...slopes(
        [
          [2, 1],
          [4, 0],
        ],
        { negativeWeight: 0 },
      ),
    ]).toEqual([...without])
  })

  it('lowers a shown item at a moment without a choice, and raises typical items', () => {
    const alone = slopes([[4, 0]])
    expect(alone[4]).toBeGreaterThan(0)
    for (const item of [0, 1, 2, 3, 5, 6]) expect(alone[item]).toBeLessThan(0)
    const scored = open(1)
    const { value } = resultOf(ranking(), scored, targetsOf([[4, -1]]), all)
    const scores = all.map((item) => scoreOf(scored, 0, item))
    const mean = scores.reduce((sum, score) => sum + Math.exp(score), 0) / all.length
    expect(value).toBeCloseTo(Math.log1p(Math.exp(scores[4]!) / mean), 5)
  })

  it('does not count a chosen item among the negatives of its moment', () => {
    expect([
      ...slopes([
        [4, 0],
        [4, 1],
      ]),
    ]).toEqual([...slopes([[4, 1]])])
  })

  it('weights by the reward, independent of its scale', () => {
    const graded = slopes([
      [2, 3],
      [4, 1, 1],
    ])
    expect(
      [
        ...slopes([
          [2, 300],
          [4, 100, 1],
        ]),
      ].map((x) => x.toFixed(5)),
    ).toEqual([...graded].map((x) => x.toFixed(5)))
    const [first, second] = [slopes([[2, 1]]), slopes([[4, 1, 1]])]
    for (const item of all) {
      expect(graded[item]).toBeCloseTo(0.75 * first[item]! + 0.25 * second[item]!, 5)
    }
  })

  it.each([{ candidates: 0 }, { negativeWeight: -1 }, { unchosenWeight: Number.NaN }])(
    'refuses %o',
    (options) => {
      expect(() => ranking(options)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    },
  )
})

function scoreOf({ bias, theta, items }: Scored, row: number, item: number): number {
  let sum = bias!.value.values[item]!
  for (let i = 0; i < theta.columns; i++) {
    sum += theta.values[row * theta.columns + i]! * items.values[item * items.columns + i]!
  }
  return sum
}
