import { expect, it } from 'vitest'
import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import { createSequenceModel, gru4rec } from '../models/index.ts'
import { defaultBlend } from '../relevance/index.ts'
import { recommenderSettings } from './methods.ts'
import { createRecommender } from './recommender.ts'

const itemNames = Array.from({ length: 60 }, (_, item) => `item ${item}`)

/** Users click one item of every slate that they have not been shown before: they tire at once. */
async function playTiringUsers(slates: number) {
  const engine = await createEngine()
  const model = createSequenceModel(engine, gru4rec({ dimension: 4 }), 60, createRandom(1))
  const recommender = createRecommender({
    ...recommenderSettings(engine, 'ren-g', { dimension: 4, explorationWeight: 0 }),
    model,
    itemNames,
    seed: 1,
    blend: defaultBlend,
    // Judging takes no time by this clock, so that every click is judged.
    judge: { clock: () => 0 },
  })
  const met = new Set<string>()
  for (let time = 1; time <= slates; time++) {
    const user = `user ${time % 40}`
    const slate = recommender.recommend({ user, count: 10 }).items.map(({ item }) => item)
    const recommendationId = `slate ${time}`
    recommender.observe({ kind: 'shown', user, items: slate, time, recommendationId })
    const item = slate.find((one) => !met.has(`${user} ${one}`))
    for (const one of slate) met.add(`${user} ${one}`)
    if (item === undefined) continue
    recommender.observe({ kind: 'taken', user, item, reward: 1, time, recommendationId })
  }
  return recommender.blend!
}

it('judges a click by what its slate was chosen from, not as an item that was left', async () => {
  const { quality, serves } = await playTiringUsers(200)
  const { served } = quality()!
  expect(served.examples).toBeGreaterThan(100)
  // Every click is on an item of a slate of ten.
  expect(served.hr10).toBeGreaterThan(0.9)
  expect(serves).toBe('blend')
})
