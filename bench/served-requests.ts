// Complete requests as in a service: a slate of 10 of 10,000 items (d = 32) for a user with 60 visits.
// Between two requests a slate is shown, and sometimes an item is chosen.

import { slateItems } from '../src/core/events.ts'
import { createRandom } from '../src/core/random.ts'
import { createMethod } from '../src/recommender/index.ts'
import type { MethodSettings, Recommender } from '../src/recommender/index.ts'
import type { Engine } from '../src/kernels/index.ts'
import { clock, median } from './measure.ts'
import type { BenchRow } from './measure.ts'

const [itemCount, dimension, visits, users, slate] = [10_000, 32, 60, 200, 10]
const [warmUp, rounds] = [500, 1500]

interface Served {
  readonly name: string
  readonly method: string
  readonly settings: MethodSettings
}

/**
 * REN with the usual λ_d and an untrained model: the bonus decides, and many items need exact scores. The
 * other λ_d is so small that relevance decides, as with a trained model.
 */
const servedMethods: readonly Served[] = [
  { name: 'λ_d=0.1', method: 'ren-g', settings: { diversityWeight: 0.1 } },
  { name: 'λ_d=0.001', method: 'ren-g', settings: { diversityWeight: 0.001 } },
  { name: 'hierarchical', method: 'gru4rec+hierarchical', settings: {} },
]

export const measureRequests = (engine: Engine): readonly BenchRow[] =>
  servedMethods.flatMap((served) => measureServing(engine, served))

function measureServing(engine: Engine, served: Served): BenchRow[] {
  const { recommender, serve } = openServing(engine, served)
  const vector = engine.vector('vector', dimension)
  const out = engine.vector('out', itemCount)
  const plain = () => engine.trusted.dotRows({ x: recommender.model.itemEmbeddings, vector, out })
  for (let round = 0; round < warmUp; round++) serve()
  const times = { request: [] as number[], event: [] as number[], plain: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    const { request, event } = serve()
    times.request.push(request)
    times.event.push(event)
    times.plain.push(clock(plain))
  }
  const unit = Math.min(...times.plain)
  const row = (name: string, ms: readonly number[]): BenchRow => ({
    case: `served: 10 of 10000, d=32, ${served.name}`,
    engine: name,
    minMs: Math.min(...ms),
    medianMs: median(ms),
    ratio: unit / median(ms),
    timesDot: median(ms) / median(times.plain),
  })
  return [
    row('recommend', times.request),
    row('slate shown, every fifth item chosen', times.event),
    row('plain dot products', times.plain),
  ]
}

function openServing(engine: Engine, { method, ...served }: Served) {
  const itemNames = Array.from({ length: itemCount }, (_, k) => `item ${k}`)
  const settings = { dimension, ...served.settings }
  const recommender = createMethod(engine, method, { itemNames, seed: 7, settings })
  const random = createRandom(3)
  let time = 0
  const take = (user: string, item: string) =>
    recommender.observe({ kind: 'interaction', user, item, reward: 1, time: ++time })
  for (let i = 0; i < users * visits; i++) {
    take(`user ${i % users}`, itemNames[random.integer(itemCount)]!)
  }
  const serve = () => {
    const user = `user ${random.integer(users)}`
    let items: readonly string[] = []
    const request = clock(() => (items = slateOf(recommender, user)))
    const event = clock(() => {
      recommender.observe({ kind: 'recommendation', user, items: slateItems(items), time: ++time })
      if (time % 5 === 0) take(user, items[random.integer(slate)]!)
    })
    return { request, event }
  }
  return { recommender, serve }
}

function slateOf(recommender: Recommender, user: string): readonly string[] {
  return recommender.recommend({ user, count: slate }).items.map(({ item }) => item)
}
