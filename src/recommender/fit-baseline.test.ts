import { expect, it } from 'vitest'
import { structuredHistories } from '../../test/structured-log.ts'
import { createRandom } from '../core/random.ts'
import { defaultBlend } from '../relevance/index.ts'
import type { HeldOut } from './held-out.ts'
import { holdOutLatest } from './held-out.ts'
import { fitBaseline } from './judge-model.ts'

const itemCount = 200
const [popularItems, visitors] = [5, 2000]

/** Users follow chains, and visitors without a further interaction choose popular items. */
function followers(): HeldOut {
  const random = createRandom(1)
  const log = structuredHistories({ users: 800, items: itemCount, length: 8, noise: 0 })
  const heldOut = holdOutLatest(log, { random, excludeHistory: true })
  const visits = Array.from({ length: visitors }, (_, visitor) => ({
    items: Int32Array.of(visitor % popularItems),
    rewards: Float32Array.of(1),
    times: Float64Array.of(0),
  }))
  return { ...heldOut, training: [...heldOut.training, ...visits] }
}

/** The users of the half that fits the weights choose popular items instead. */
function misled(): HeldOut {
  const heldOut = followers()
  const tests = heldOut.tests.map((test, at) => {
    if (at % 2 !== 0) return test
    const items = test.items.slice()
    items[items.length - 1] = at % popularItems
    return { ...test, items }
  })
  return { ...heldOut, tests }
}

const fitted = (heldOut: HeldOut) => fitBaseline({ heldOut, itemCount })

it('has fitted weights if they rank well', () => {
  const { blend, quality } = fitted(followers())
  expect(blend.weights).not.toEqual(defaultBlend.weights)
  expect(quality.served.ndcg10).toBeGreaterThanOrEqual(0.95 * quality.memory.ndcg10)
})

it('has the default weights if the fitted ones rank worse than the memory alone', () => {
  expect(fitted(misled()).blend.weights).toEqual(defaultBlend.weights)
})
