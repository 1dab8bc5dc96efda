import { slateItems } from '../core/events.ts'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../core/random.ts'
import { day } from '../core/time-units.ts'
import { createEngine } from '../kernels/index.ts'
import { createSequenceModel, finish, gru4rec } from '../models/index.ts'
import { defaultBlend } from '../relevance/index.ts'
import { recommenderSettings } from './methods.ts'
import { createRecommender } from './recommender.ts'

const namesOf = (count: number) => Array.from({ length: count }, (_, item) => `item ${item}`)

async function createJudged(itemCount = 60) {
  const engine = await createEngine()
  const model = createSequenceModel(engine, gru4rec({ dimension: 4 }), itemCount, createRandom(1))
  return createRecommender({
    ...recommenderSettings(engine, 'ren-g', { dimension: 4, explorationWeight: 0 }),
    model,
    itemNames: namesOf(itemCount),
    seed: 1,
    blend: defaultBlend,
    // By this clock judging takes no time, so every click is judged.
    judge: { clock: () => 0 },
  })
}

type Judged = Awaited<ReturnType<typeof createJudged>>

/** Users click one item of each slate that they were not shown before: they tire at once. */
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

it('judges a click with the state before its slate, not as an item that was left', async () => {
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
  const recommender = await createJudged(1200)
  const blend = recommender.blend!
  let time = 0
  const take = (user: string, item: number): void =>
    recommender.observe({
      kind: 'interaction',
      user,
      item: `item ${item}`,
      reward: 1,
      time: ++time,
    })
  let steps = 0
  /** Users cycle through the catalog: the memory predicts the next item. */
  const walk = (count: number): void => {
    for (let i = 0; i < count; i++, steps++) {
      const [user, step] = [steps % 20, Math.floor(steps / 20)]
      take(`walker ${user}`, (3 * user + step) % 60)
    }
  }
  /** Continues until the weights were just fitted, so that the next fit is 50 choices away. */
  const untilFit = (step: () => void): void => {
    const before = blend.current
    while (blend.current === before) step()
  }
  let solo = 60
  /** Each user chooses an item of their own, and then one that popularity predicts. */
  const follow = (count: number): void => {
    for (let i = 0; i < count / 2; i++) {
      const user = `follower ${time}`
      take(user, solo++)
      take(user, 0)
    }
  }
  walk(400)
  untilFit(() => walk(1))
  expect(blend.serves).toBe('blend')
  blend.set(upsideDown)
  walk(100)
  expect(blend.serves).toBe('memory')
  // The blend of a training run serves at once.
  finish(blend.change(defaultBlend))
  expect(blend.serves).toBe('blend')
  untilFit(() => walk(1))
  blend.set(upsideDown)
  walk(100)
  expect(blend.serves).toBe('memory')
  // A blend that changes before 100 judged interactions is not served.
  for (let change = 0; change < 10; change++) {
    blend.set(upsideDown)
    follow(90)
    expect(blend.serves).toBe('memory')
  }
  untilFit(() => follow(2))
  blend.set(upsideDown)
  follow(100)
  expect(blend.serves).toBe('popularity')
  // The weights are fitted while a part serves.
  follow(1000)
  expect(blend.serves).toBe('blend')
  expect(blend.current.weights.popularity).toBeGreaterThan(0)
})

it('fits only the click rate on slates, if there are interactions outside slates', async () => {
  const recommender = await createJudged()
  const random = createRandom('clicks')
  const itemNames = namesOf(60)
  for (let time = 1; time <= 1200; time++) {
    // Each item follows the one before, so that the memory ranks well.
    const [user, item] = [`user ${time % 40}`, itemNames[Math.floor(time / 40 + (time % 40)) % 60]!]
    recommender.observe({ kind: 'interaction', user, item, reward: 1, time })
  }
  const before = recommender.blend!.current.weights
  const judgedBefore = recommender.blend!.judged
  for (let time = 2000; time < 2400; time++) {
    const [user, recommendationId] = [`visitor ${time % 40}`, `slate ${time}`]
    const names = recommender.recommend({ user, count: 10 }).items.map(({ item }) => item)
    const items = slateItems(names)
    recommender.observe({ kind: 'recommendation', user, items, time, recommendationId })
    const item = names[random.integer(names.length)]!
    recommender.observe({ kind: 'interaction', user, item, reward: 1, time, recommendationId })
  }
  expect(recommender.blend!.judged).toBeGreaterThan(judgedBefore + 300)
  const { clickRate, ...others } = recommender.blend!.current.weights
  expect({ ...others, clickRate: before.clickRate }).toEqual(before)
  expect(clickRate).not.toBe(before.clickRate)
})

function show(recommender: Judged, user: string, time: number, recommendationId: string) {
  const names = recommender.recommend({ user, count: 10 }).items.map(({ item }) => item)
  const items = slateItems(names)
  recommender.observe({ kind: 'recommendation', user, items, time, recommendationId })
  return names
}

/** Judges 50 clicks, after which the blend is compared with its parts. */
function clickOnSlates(recommender: Judged): void {
  for (let time = 1; time <= 50; time++) {
    const [user, recommendationId] = [`user ${time}`, `slate ${time}`]
    const [item] = show(recommender, user, time, recommendationId)
    const click = { kind: 'interaction', user, item: item!, reward: 1, time } as const
    recommender.observe({ ...click, recommendationId })
  }
}

const times = (count: number, rank: number) => Array.from({ length: count }, () => [rank])

it('compares a new blend with its parts on the same interactions', async () => {
  const recommender = await createJudged()
  const blend = recommender.blend!
  const isEasier = [...times(600, 1), ...times(400, 60)]
  const saved = { served: isEasier, model: isEasier, memory: isEasier, popularity: isEasier }
  const meters = { ...saved, blend: times(400, 5) }
  const areIndependent = isEasier.map(() => true)
  blend.restoreJudging({ serves: 'blend', judged: 0, judgedOfVersion: 0, meters, areIndependent })
  clickOnSlates(recommender)
  expect(blend.serves).toBe('blend')
})

it('serves the blend if all choices come from slates, where popular items get the clicks', async () => {
  const recommender = await createJudged()
  const blend = recommender.blend!
  const [isBad, isGood] = [times(1000, 60), times(1000, 1)]
  const meters = { served: isBad, blend: isBad, model: isBad, memory: isBad, popularity: isGood }
  const areIndependent = isBad.map(() => false)
  blend.restoreJudging({
    serves: 'popularity',
    judged: 0,
    judgedOfVersion: 0,
    meters,
    areIndependent,
  })
  clickOnSlates(recommender)
  expect(blend.serves).toBe('blend')
})

describe('independent interactions', () => {
  it('are those of users without a slate on the day before', async () => {
    const recommender = await createJudged()
    const independent = () => recommender.blend!.quality('independent')!.served.examples
    let items = 0
    const choose = (user: string, time: number, slate?: string): void => {
      const item = `item ${items++}`
      const named = slate === undefined ? {} : { recommendationId: slate }
      recommender.observe({ kind: 'interaction', user, item, reward: 1, time, ...named })
    }
    choose('ann', 1)
    expect(independent()).toBe(1)
    show(recommender, 'ann', 2, 'slate')
    choose('ben', 3)
    expect(independent()).toBe(2)
    choose('ann', 3)
    choose('ann', 2 + day)
    choose('ann', 3 + day, 'slate')
    expect(independent()).toBe(2)
    choose('ann', 4 + day)
    expect(independent()).toBe(3)
    expect(recommender.blend!.quality()!.served.examples).toBe(6)
  })

  it.each([
    ['the better of its parts on 300 of them, although slates favor the blend', 300, 'popularity'],
    ['the blend while there are fewer', 299, 'blend'],
  ])('decide what is served: %s', async (_, count, serves) => {
    const recommender = await createJudged()
    const blend = recommender.blend!
    const isBad = [...times(600, 1), ...times(count, 60)]
    const isGood = [...times(600, 60), ...times(count, 1)]
    const meters = { served: isBad, blend: isBad, model: isBad, memory: isBad, popularity: isGood }
    const areIndependent = isBad.map((_rank, at) => at >= 600)
    blend.restoreJudging({ serves: 'blend', judged: 0, judgedOfVersion: 0, meters, areIndependent })
    expect(blend.quality()!.served.hr10).toBeGreaterThan(blend.quality()!.popularity.hr10)
    clickOnSlates(recommender)
    expect(blend.serves).toBe(serves)
    expect(blend.saveJudging()!.areIndependent.filter(Boolean)).toHaveLength(count)
  })
})
