import { slateItems } from '../core/events.ts'
import { expect, it } from 'vitest'
import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import { createSequenceModel, finish, gru4rec } from '../models/index.ts'
import { defaultBlend } from '../relevance/index.ts'
import { recommenderSettings } from './methods.ts'
import { createRecommender } from './recommender.ts'

const itemNames = Array.from({ length: 60 }, (_, item) => `item ${item}`)

async function createJudged() {
  const engine = await createEngine()
  const model = createSequenceModel(engine, gru4rec({ dimension: 4 }), 60, createRandom(1))
  return createRecommender({
    ...recommenderSettings(engine, 'ren-g', { dimension: 4, explorationWeight: 0 }),
    model,
    itemNames,
    seed: 1,
    blend: defaultBlend,
    // Judging takes no time by this clock, so that every click is judged.
    judge: { clock: () => 0 },
  })
}

/** Users click one item of every slate that they have not been shown before: they tire at once. */
async function playTiringUsers(slates: number) {
  const recommender = await createJudged()
  const met = new Set<string>()
  for (let time = 1; time <= slates; time++) {
    const user = `user ${time % 40}`
    const slate = recommender.recommend({ user, count: 10 }).items.map(({ item }) => item)
    const recommendationId = `slate ${time}`
    recommender.observe({
      kind: 'recommendation',
      user,
      items: slateItems(slate),
      time,
      recommendationId,
    })
    const item = slate.find((one) => !met.has(`${user} ${one}`))
    for (const one of slate) met.add(`${user} ${one}`)
    if (item === undefined) continue
    recommender.observe({ kind: 'interaction', user, item, reward: 1, time, recommendationId })
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

/** Relevance that ranks the least popular item first. */
const upsideDown = {
  ...defaultBlend,
  weights: { model: 0, memory: 0, popularity: -2, clickRate: 0 },
}

it('serves memory, then popularity, then the blend again, as each ranks best', async () => {
  const recommender = await createJudged()
  const blend = recommender.blend!
  let time = 0
  const take = (user: string, item: number): void =>
    recommender.observe({
      kind: 'interaction',
      user,
      item: itemNames[item]!,
      reward: 1,
      time: ++time,
    })
  let steps = 0
  /** Users go through the catalog in a circle: memory knows what comes next. */
  const walk = (count: number): void => {
    for (let i = 0; i < count; i++, steps++) {
      const [user, step] = [steps % 20, Math.floor(steps / 20)]
      take(`walker ${user}`, (3 * user + step) % 60)
    }
  }
  /** Users without a history choose one item: popularity knows which. */
  const follow = (count: number): void => {
    for (let i = 0; i < count; i++) take(`tailer ${time}`, 0)
  }
  walk(400)
  expect(blend.serves).toBe('blend')
  blend.set(upsideDown)
  walk(100)
  expect(blend.serves).toBe('memory')
  // What a training run has judged serves at once.
  finish(blend.change(defaultBlend))
  expect(blend.serves).toBe('blend')
  blend.set(upsideDown)
  walk(100)
  expect(blend.serves).toBe('memory')
  // Relevance that changes before 100 interactions have judged it is not served.
  for (let change = 0; change < 10; change++) {
    blend.set(upsideDown)
    follow(90)
    expect(blend.serves).toBe('memory')
  }
  blend.set(upsideDown)
  follow(100)
  expect(blend.serves).toBe('popularity')
  // Its weights are fitted while another one serves.
  follow(1000)
  expect(blend.serves).toBe('blend')
  expect(blend.current.weights.popularity).toBeGreaterThan(0)
})
