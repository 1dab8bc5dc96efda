import { describe, expect, it } from 'vitest'
import { checkCausality, checkPadding, kernels, liveModel } from '../../test/check-causality.ts'
import type { History } from './batch.ts'
import { mlp, runningMean } from './mlp.ts'
import { checkLayer, upTo } from '../../test/check-gradients.ts'
import { createRandom } from '../core/random.ts'
import { createEngine, createWorkspace } from '../kernels/index.ts'
import { relu } from './layers/feed-forward.ts'

describe.each(kernels)('an MLP on the %s kernels', (kernel) => {
  it('gives a history the same θ bit for bit in any batch', () =>
    checkPadding(mlp({ dimension: 10, window: 20 }), kernel))

  it('does not depend on later events', () =>
    checkCausality(mlp({ dimension: 10, window: 20 }), kernel))
})

describe('an MLP', () => {
  const historyOf = (...items: number[]): History => ({
    items: Int32Array.from(items),
    rewards: new Float32Array(items.length),
    times: new Float64Array(items.length),
  })

  it('depends on the items but not on their order', async () => {
    const model = await liveModel(mlp({ dimension: 6 }), 'reference')
    const thetaOf = (history: History) => {
      const theta = new Float32Array(6)
      model.userEmbedding(history, theta)
      return theta
    }
    const theta = thetaOf(historyOf(1, 2, 3, 3))
    const other = thetaOf(historyOf(1, 2, 3, 4))
    for (const [i, value] of thetaOf(historyOf(3, 2, 3, 1)).entries()) {
      expect(value).toBeCloseTo(theta[i]!, 5)
    }
    expect(Math.max(...theta.map((value, i) => Math.abs(value - other[i]!)))).toBeGreaterThan(1e-3)
  })

  it('can be rebuilt from its description', () => {
    const { model: _, ...options } = mlp({ dimension: 6, hidden: 9 }).description
    expect(mlp(options).description).toEqual(mlp({ dimension: 6, hidden: 9 }).description)
  })
})

describe('a running mean', () => {
  it('is the mean of the sequence up to each step', async () => {
    const engine = await createEngine()
    const workspace = createWorkspace(engine)
    const layer = runningMean({ engine, name: 'pool', random: createRandom(1), workspace })
    const x = engine.matrix('x', 6, 2)
    x.values.set([1, 10, 100, 1000, 3, 30, 200, 2000, 8, 80, 600, 6000])
    const batch = {
      steps: 3,
      sequences: 2,
      rows: new Int32Array(6),
      rewards: new Float32Array(6),
      times: new Float64Array(6),
    }
    for (let twice = 0; twice < 2; twice++) {
      const out = [...layer.forward(x, { batch, random: null }).values]
      expect(out).toEqual([1, 10, 100, 1000, 2, 20, 150, 1500, 4, 40, 300, 3000])
    }
  })

  it('has the gradients of finite differences', () =>
    checkLayer((context, draw) => ({ inputs: draw(upTo, 4), layer: runningMean(context) })))
})

describe('relu', () => {
  it('has the gradients of finite differences', () =>
    checkLayer((context, draw) => ({ inputs: draw(upTo, 4), layer: relu(context) })))
})
