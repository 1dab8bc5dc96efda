import { describe, expect, it } from 'vitest'

import { checkLayer, upTo } from '../../../test/check-gradients.ts'
import { createRandom } from '../../core/random.ts'
import { createEngine } from '../../kernels/index.ts'
import { createWorkspace } from '../../kernels/index.ts'
import { relu } from './relu.ts'
import { runningMean } from './running-mean.ts'

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

  it('has the gradients that finite differences give', () =>
    checkLayer((context, draw) => ({ inputs: draw(upTo, 4), layer: runningMean(context) })))
})

describe('relu', () => {
  it('has the gradients that finite differences give', () =>
    checkLayer((context, draw) => ({ inputs: draw(upTo, 4), layer: relu(context) })))
})
