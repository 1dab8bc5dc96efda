// A shop that starts with an empty log: 200 items, 50 users with 5 tastes, 120 rounds. Every user gets a
// slate of ten per round and clicks each item with probability 0.5 if it matches their taste, otherwise
// 0.02. Only clicks are reported. Measures items of the user's taste per slate, by quarter of the rounds.

import { join } from 'node:path'
import { mean, standardError } from '../../src/core/statistics.ts'
import { createRandom } from '../../src/core/random.ts'
import type { Random } from '../../src/core/random.ts'
import { putItems, serveRen } from './ren-process.ts'
import type { RenProcess } from './ren-process.ts'
import { atLeast } from './row.ts'
import type { QualityFigure, QualityRow, RowOptions } from './row.ts'

const [itemCount, userCount, tastes, rounds, slateSize] = [200, 50, 5, 120, 10]
const quarters = 4
const clickRates = { taste: 0.5, other: 0.02 }
/** Items of the taste in a random slate of ten. */
const atRandom = (slateSize * (itemCount / tastes)) / itemCount

interface World {
  readonly name: string
  /** Fields of the request; none for the default. */
  readonly exploration?: { readonly weight: number }
  /** Whether a clicked item can be clicked again. */
  readonly repeats: boolean
}

const worlds = {
  default: { name: 'default', repeats: true },
  greedy: { name: 'weight 0', repeats: true, exploration: { weight: 0 } },
  once: { name: 'clicked once', repeats: false },
} as const satisfies Readonly<Record<string, World>>

/** By quarter: matching items in the slates, and in random slates of the remaining items. */
interface Played {
  readonly served: readonly number[]
  readonly random: readonly number[]
}

export const stream: QualityRow = {
  title: 'stream from an empty log',
  seeds: { test: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], validation: [101, 102, 103] },
  async *run(options) {
    const played = { default: [], greedy: [], once: [] } as Record<keyof typeof worlds, Played[]>
    for (const seed of options.seeds) {
      for (const name of Object.keys(worlds) as (keyof typeof worlds)[]) {
        const result = await play(worlds[name], seed, options)
        played[name].push(result)
        const quartered = result.served.map((value) => value.toFixed(2)).join(' ')
        options.progress(`seed ${seed}, ${worlds[name].name}: ${quartered}`)
      }
    }
    yield { stage: null, figures: figuresOf(played) }
  },
}

async function play(world: World, seed: number, options: RowOptions): Promise<Played> {
  const store = join(options.folder, `${world.name}-${seed}.db`)
  const service = await serveRen({
    ...options,
    store,
    args: ['--seed', String(seed), ...options.serve],
  })
  const names = Array.from({ length: itemCount }, (_, item) => `item-${item}`)
  await putItems(service, names)
  const visit = createVisit(service, world, createRandom(seed).fork('clicks'))
  const total = Math.min(rounds, options.limit)
  const visits: { served: number; random: number }[] = []
  for (let round = 0; round < total; round++) {
    for (let user = 0; user < userCount; user++) visits.push(await visit(user))
  }
  await service.stop()
  const size = visits.length / quarters
  const byQuarter = (of: 'served' | 'random'): number[] =>
    Array.from({ length: quarters }, (_, quarter) =>
      mean(visits.slice(quarter * size, (quarter + 1) * size).map((one) => one[of])),
    )
  return { served: byQuarter('served'), random: byQuarter('random') }
}

/** Serves one slate to one user and reports their clicks. */
function createVisit(service: RenProcess, { exploration, repeats }: World, random: Random) {
  const clicked = Array.from({ length: userCount }, () => new Set<number>())
  let afterPosition = 0
  return async (user: number): Promise<{ served: number; random: number }> => {
    const request = { user: `user-${user}`, count: slateSize, afterPosition }
    const requested = exploration === undefined ? request : { ...request, exploration }
    const { recommendationId, items } = await service.recommend(requested)
    const slate = items.map(({ item }) => Number(item.slice('item-'.length)))
    const gone = repeats ? new Set<number>() : clicked[user]!
    const served = slate.filter((item) => isOfTaste(item, user) && !gone.has(item)).length
    const expected = expectedAtRandom(user, gone)
    const clicks = slate.filter((item) => {
      const chance = isOfTaste(item, user) ? clickRates.taste : clickRates.other
      return random.uniform() < chance && !gone.has(item)
    })
    for (const item of clicks) clicked[user]!.add(item)
    if (clicks.length > 0) {
      const event = { user: request.user, recommendationId }
      const events = clicks.map((item) => ({ ...event, item: `item-${item}` }))
      afterPosition = await service.record(events)
    }
    return { served, random: expected }
  }
}

const isOfTaste = (item: number, user: number): boolean => item % tastes === user % tastes

/** The expected matching items in ten random ones of those that can still be clicked. */
function expectedAtRandom(user: number, gone: ReadonlySet<number>): number {
  const ofTaste = [...gone].filter((item) => isOfTaste(item, user)).length
  return (slateSize * (itemCount / tastes - ofTaste)) / (itemCount - gone.size)
}

type AllPlayed = Readonly<Record<keyof typeof worlds, readonly Played[]>>

const quarterNumbers = Array.from({ length: quarters }, (_, quarter) => quarter)

function estimate(values: readonly number[]): { value: number; error: number } {
  return { value: mean(values), error: standardError(values) }
}

const servedIn = (runs: readonly Played[], quarter: number) =>
  estimate(runs.map((run) => run.served[quarter]!))

function figuresOf({ default: served, greedy, once }: AllPlayed): QualityFigure[] {
  const [last, lastGreedy] = [servedIn(served, 3), servedIn(greedy, 3)]
  return [
    ...quarterNumbers.map((quarter) => {
      const one = servedIn(served, quarter)
      const name = `taste per slate, quarter ${quarter + 1}`
      return { name, ...one, bar: atLeast(atRandom, 2 * one.error) }
    }),
    {
      name: 'taste per slate over random, last quarter',
      value: last.value / atRandom,
      bar: atLeast(3),
    },
    ...quarterNumbers.map((quarter) => {
      const name = `taste per slate with weight 0, quarter ${quarter + 1}`
      return { name, ...servedIn(greedy, quarter) }
    }),
    {
      name: 'default over weight 0, last quarter',
      value: last.value / lastGreedy.value,
      bar: atLeast(0.95),
    },
    ...quarterNumbers.map((quarter) => {
      const one = estimate(once.map((run) => run.served[quarter]! - run.random[quarter]!))
      const name = `items of the user's taste per slate, minus random slates of the remaining items (no repeats), quarter ${quarter + 1}`
      const note = `random ${mean(once.map((run) => run.random[quarter]!)).toFixed(2)}`
      return { name, ...one, bar: atLeast(0, 2 * one.error), note }
    }),
  ]
}
