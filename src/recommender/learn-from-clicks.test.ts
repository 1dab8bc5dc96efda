// A shop where only clicks are reported: 200 items, 50 users, five tastes of 40 items. The model
// alone must learn users' preferences from random slates of ten.

import { slateItems } from '../core/events.ts'
import { expect, it } from 'vitest'
import { createRandom } from '../core/random.ts'
import { createPolicy } from '../exploration/index.ts'
import { createEngine } from '../kernels/index.ts'
import { createMethod } from './methods.ts'

const [items, users, tastes, slateSize] = [200, 50, 5, 10]
const itemNames = Array.from({ length: items }, (_, item) => `item ${item}`)

/** Items of the user's taste in the model's first ten, on average, after some rounds. */
async function ownTaste(loss: string, rounds: number): Promise<number> {
  const engine = await createEngine()
  const random = createRandom('shop')
  const tasteOf = random.choose(items, items).map((place) => place % tastes)
  const isLiked = (item: string, user: number) => tasteOf[itemNames.indexOf(item)] === user % tastes
  const recommender = createMethod(engine, 'gru4rec', {
    itemNames,
    seed: 1,
    settings: { dimension: 16, window: 20, optimizer: 'lazy-adam', loss, rate: 0.01 },
    // The attribution window is longer than the run: items without a click are negatives only next
    // to a click.
    fineTune: {
      steps: 10,
      replay: 'as-many',
      attributionWindow: 1e9,
      holdOut: 0.1,
      tolerance: 1.2,
    },
  })
  const policy = createPolicy(engine, 'random')
  for (let time = 0; time < rounds; time++) {
    for (let at = 0; at < users; at++) {
      const [user, recommendationId] = [`user ${at}`, `${time} ${at}`]
      const served = recommender.recommend({ user, count: slateSize, policy })
      const slate = served.items.map(({ item }) => item)
      recommender.observe({
        kind: 'recommendation',
        user,
        items: slateItems(slate),
        time,
        recommendationId,
      })
      const clicked = slate.filter((item) => random.uniform() < (isLiked(item, at) ? 0.5 : 0.02))
      for (const item of clicked) {
        recommender.observe({ kind: 'interaction', user, item, reward: 1, time, recommendationId })
      }
    }
    if (time % 2 === 1) recommender.fineTune({ now: time })
  }
  let liked = 0
  for (let at = 0; at < users; at++) {
    const slate = recommender.recommend({ user: `user ${at}`, count: slateSize })
    liked += slate.items.filter(({ item }) => isLiked(item, at)).length
  }
  return liked / users
}

it("learns users' preferences from clicks alone, by ranking", { timeout: 120_000 }, async () => {
  expect(await ownTaste('ranking', 40)).toBeGreaterThan(6)
})

it('learns little from the reported rewards by squared error', { timeout: 120_000 }, async () => {
  expect(await ownTaste('squared-error', 40)).toBeLessThan(3)
})
