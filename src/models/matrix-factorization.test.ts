import { describe, expect, it } from 'vitest'

import { checkCausality, checkPadding, kernels } from '../../test/check-causality.ts'
import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import type { History } from './batch.ts'
import { squaredError } from './losses/reward.ts'
import { matrixFactorization } from './matrix-factorization.ts'
import { adam } from './optimizers/optimizers.ts'
import { createSequenceModel } from './sequence-model.ts'
import type { SequenceModel } from './sequence-model.ts'
import { finish, train } from './training/train.ts'

const noHistory = {
  items: new Int32Array(),
  rewards: new Float32Array(),
  times: new Float64Array(),
}

describe.each(kernels)('matrix factorization on the %s kernels', (kernel) => {
  it('gives a history the same θ bit for bit in any batch', () =>
    checkPadding(matrixFactorization({ dimension: 10, window: 20 }), kernel))

  it('does not depend on later events', () =>
    checkCausality(matrixFactorization({ dimension: 10, window: 20 }), kernel))
})

describe('matrix factorization', () => {
  const build = async (itemCount: number, dimension: number) =>
    createSequenceModel(
      await createEngine(),
      matrixFactorization({ dimension, window: 40, regularization: 0.1 }),
      itemCount,
      createRandom(2),
    )

  it('learns only items, and has a θ of zero for an empty history', async () => {
    const model = await build(4, 3)
    expect(model.parameters.map(({ name }) => name)).toEqual(['items'])
    const theta = new Float32Array(3).fill(7)
    model.userEmbedding(noHistory, theta)
    expect([...theta]).toEqual([0, 0, 0])
  })

  it('fits θ to one rating by ridge regression', async () => {
    const model = await build(1, 2)
    model.itemEmbeddings.values.set([3, 4])
    const theta = new Float32Array(2)
    const history = {
      items: Int32Array.of(0),
      rewards: Float32Array.of(2),
      times: Float64Array.of(0),
    }
    model.userEmbedding(history, theta)
    // μ·r/(λ + ‖μ‖²)
    for (const [i, mu] of [3, 4].entries()) expect(theta[i]).toBeCloseTo((mu * 2) / 25.1, 5)
  })

  it('learns ratings of rank two to half of the error, and depends only on the seed', async () => {
    const [users, validation] = ratings(120, 20)
    const runs = [await build(20, 2), await build(20, 2)].map((model) => {
      const before = meanError(model, validation)
      const options = {
        loss: squaredError(),
        optimizer: adam(model.engine, model.workspace, { rate: 0.02 }),
        epochs: 25,
        batchSize: 20,
        random: createRandom(4),
        clock: () => 0,
      }
      finish(train(model, users, options))
      return {
        before,
        after: meanError(model, validation),
        items: [...model.itemEmbeddings.values],
      }
    })
    expect(runs[0]!.after).toBeLessThan(runs[0]!.before / 2)
    expect(runs[1]).toEqual(runs[0])
  })
})

/** Users who rate 15 of 20 items by two hidden coordinates, and as many users for validation. */
function ratings(count: number, held: number): readonly [History[], History[]] {
  const random = createRandom('ratings')
  const vector = () => [random.normal(), random.normal()] as const
  const items = Array.from({ length: 20 }, vector)
  const user = (): History => {
    const [a, b] = vector()
    const taken = random.choose(15, items.length)
    return {
      items: taken,
      rewards: Float32Array.from(taken, (item) => a * items[item]![0] + b * items[item]![1]),
      times: Float64Array.from(taken, (_, event) => event),
    }
  }
  return [Array.from({ length: count }, user), Array.from({ length: held }, user)]
}

/** The mean squared error of the last rating, given the earlier ones. */
function meanError(model: SequenceModel, users: readonly History[]): number {
  const { dimension } = model
  const theta = new Float32Array(dimension)
  const squares = users.map(({ items, rewards, times }) => {
    const last = items.length - 1
    model.userEmbedding(
      {
        items: items.subarray(0, last),
        rewards: rewards.subarray(0, last),
        times: times.subarray(0, last),
      },
      theta,
    )
    const row = items[last]! * dimension
    const mu = model.itemEmbeddings.values.subarray(row, row + dimension)
    return (theta.reduce((sum, value, i) => sum + value * mu[i]!, 0) - rewards[last]!) ** 2
  })
  return squares.reduce((sum, square) => sum + square, 0) / users.length
}
