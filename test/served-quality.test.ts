// Imports a log with a known structure and requests recommendations over HTTP, with default settings. The
// slates contain the next item far more often than the most popular ten.

import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createRandom } from '../src/core/random.ts'
import type { Random } from '../src/core/random.ts'
import { send, startServing, stopServing } from './serving.ts'
import { temporaryFiles } from './temporary-files.ts'

const [itemCount, userCount, visits, slateSize] = [300, 400, 25, 10]

/** A walk from item to item: mostly to one of four successors, otherwise to a popular item. */
function createWalk(random: Random): (from: number | undefined) => number {
  const successors = Array.from({ length: itemCount }, () => random.choose(4, itemCount))
  const weights = Array.from({ length: itemCount }, (_, rank) => 1 / (rank + 10))
  const total = weights.reduce((sum, weight) => sum + weight)
  const popular = (): number => {
    let left = random.uniform() * total
    return weights.findIndex((weight) => (left -= weight) <= 0)
  }
  return (from) =>
    from === undefined || random.uniform() < 0.25
      ? Math.max(0, popular())
      : successors[from]![random.integer(4)]!
}

interface Walk {
  readonly user: string
  readonly history: readonly string[]
  readonly target: string
}

function generateWalks(): readonly Walk[] {
  const random = createRandom('served quality')
  const next = createWalk(random)
  return Array.from({ length: userCount }, (_, user) => {
    const items: number[] = []
    while (items.length <= visits) items.push(next(items.at(-1)))
    const [target, ...history] = items.map((item) => `item ${item}`).toReversed()
    return { user: `user ${user}`, history: history.toReversed(), target: target! }
  })
}

/** The visits of all users alternate, one minute apart. */
function toCsv(walks: readonly Walk[]): string {
  const rows = Array.from({ length: visits }, (_, visit) =>
    walks.map(({ user, history }, at) => {
      const time = (visit * userCount + at) * 60_000
      return `${user},${history[visit]},${time}\n`
    }),
  )
  return `user,item,time\n${rows.flat().join('')}`
}

const hitRate = (walks: readonly Walk[], slates: readonly (readonly string[])[]): number =>
  walks.filter(({ target }, at) => slates[at]!.includes(target)).length / walks.length

function mostPopular(walks: readonly Walk[]): readonly string[] {
  const byItem = Map.groupBy(
    walks.flatMap(({ history }) => history),
    (item) => item,
  )
  const sorted = [...byItem].toSorted(([, a], [, b]) => b.length - a.length)
  return sorted.slice(0, slateSize).map(([item]) => item)
}

/** One slate for every user, in requests of a hundred. */
async function slatesOf(address: string, walks: readonly Walk[]): Promise<string[][]> {
  const slates: string[][] = []
  for (let from = 0; from < walks.length; from += 100) {
    const requests = walks
      .slice(from, from + 100)
      .map(({ user }) => ({ user, count: slateSize, record: false }))
    const { results } = await send<{ results: { items: { item: string }[] }[] }>(
      address,
      '/v1/recommendations',
      { requests },
    )
    slates.push(...results.map(({ items }) => items.map(({ item }) => item)))
  }
  return slates
}

const { folder, write } = temporaryFiles()

it('recommends far better than popularity within seconds of an import', async () => {
  const walks = generateWalks()
  const popularity = mostPopular(walks)
  const baseline = hitRate(
    walks,
    walks.map(() => popularity),
  )
  const log = write(toCsv(walks), 'walks.csv')
  const serving = await startServing(['--store', join(folder, 'walks.db'), '--events', log])
  const enough = Math.max(0.45, 3 * baseline)
  let served = 0
  for (let second = 0; second < 8 && served < enough; second++) {
    if (second > 0) await delay(1000)
    served = hitRate(walks, await slatesOf(serving.address, walks))
  }
  // The training run that the import starts first evaluates memory and popularity.
  await expect
    .poll(async () => (await fetch(`${serving.address}/metrics`)).text(), { timeout: 20_000 })
    .toMatch(
      /ren_quality\{group="\w+",version="\d+",judged="held-out",method="served",measure="hr10"\}/,
    )
  await stopServing(serving)
  // The transition memory alone finds about two of three.
  expect(served).toBeGreaterThan(enough)
}, 60_000)
