import { expect, test } from 'vitest'
import { createPolicy } from '../../exploration/index.ts'
import { createEngine, type Engine } from '../../kernels/index.ts'
import { createRandom } from '../../core/random.ts'
import { RequestPolicies } from './request-options.ts'

test('policies that were not used recently free their memory', async () => {
  const inner = await createEngine()
  let alive = 0
  const count = <T>(tensor: T): T => {
    alive += 1
    return tensor
  }
  const engine: Engine = {
    ...inner,
    matrix: (...shape) => count(inner.matrix(...shape)),
    vector: (...shape) => count(inner.vector(...shape)),
    indices: (...shape) => count(inner.indices(...shape)),
    free(tensor) {
      inner.free(tensor)
      alive -= 1
    },
  }
  const items = inner.matrix('items', 8, 3)
  const decision = {
    items,
    itemsVersion: 1,
    userEmbedding: new Float32Array(3),
    visited: new Int32Array(),
    rewards: new Float32Array(),
    uncertainty: new Float32Array(8),
    impressions: new Float32Array(8),
    interactions: new Float32Array(8),
    candidates: null,
    excluded: new Int32Array(),
    random: createRandom(1),
  }
  const policies = new RequestPolicies(engine)
  const own = createPolicy(inner, 'greedy')
  const recommend = (uncertaintyWeight: number) => {
    const exploration = { policy: 'ren', settings: { uncertaintyWeight } }
    return policies.choose(own, { exploration }).policy.choose(decision, 2)
  }
  for (let i = 0; i < 20; i++) recommend(i)
  const most = alive
  expect(most).toBeGreaterThan(0)
  for (let i = 20; i < 60; i++) recommend(i)
  expect(alive).toBe(most)
  expect(recommend(0).items).toHaveLength(2)
  inner.close()
})
