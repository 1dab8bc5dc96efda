// New items in a trained catalog: adds 50 items to ML-1M and serves 20,000 slates of ten to random users
// who never click. Each new item must be shown at least 20 times.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createRandom } from '../../src/core/random.ts'
import { readLines } from './hold-out.ts'
import { inParallel } from './http-client.ts'
import { serveRen, waitForTraining } from './ren-process.ts'
import type { RenProcess } from './ren-process.ts'
import { atLeast } from './row.ts'
import type { QualityFigure, QualityRow, RowOptions } from './row.ts'

const added = 50
const slates = 20_000
const enough = 20

export const newItems: QualityRow = {
  title: '50 items added to warm ML-1M',
  seeds: { test: [1], validation: [101] },
  async *run(options) {
    const lines = await readLines(join(options.data, 'ml-1m/sasrec_ml-1m.txt.gz'))
    const log = join(options.folder, 'log.txt')
    writeFileSync(log, `${lines.join('\n')}\n`)
    const [seed = 1] = options.seeds
    const source = ['--events', log, '--format', 'movielens-1m-sequences']
    const service = await serveRen({
      ...options,
      store: join(options.folder, 'new-items.db'),
      args: [...source, '--seed', String(seed), ...options.serve],
    })
    await delay(1000 * options.settleSeconds)
    const stage = options.stages.includes('trained') ? 'trained' : 'start'
    if (stage === 'trained') await waitForTraining(service, options.progress)
    yield { stage, figures: await measureNewItems(service, options) }
    await service.stop()
  },
}

/** The 50 items and 20,000 slates remain in the service. */
export async function measureNewItems(
  service: RenProcess,
  { progress, limit, seeds }: Pick<RowOptions, 'progress' | 'limit' | 'seeds'>,
): Promise<QualityFigure[]> {
  const users = await userNames(service)
  const names = Array.from({ length: added }, (_, i) => `new-item-${i}`)
  await service.post('/v1/items', { items: names.map((item) => ({ item })) })
  const impressions = new Map(names.map((name) => [name, 0]))
  const random = createRandom(seeds[0] ?? 1).fork('new-items')
  const requests = Array.from({ length: Math.min(limit, slates) }, () => {
    return users[random.integer(users.length)]!
  })
  await inParallel(requests, 4, async (user, index) => {
    const { items } = await service.recommend({ user, count: 10 })
    for (const { item } of items) {
      if (impressions.has(item)) impressions.set(item, impressions.get(item)! + 1)
    }
    if (index % 5000 === 4999) progress(`${index + 1} slates with new items`)
  })
  const counts = [...impressions.values()].toSorted((a, b) => a - b)
  const total = counts.reduce((sum, count) => sum + count, 0)
  return [
    { name: 'fewest impressions of a new item', value: counts[0]!, bar: atLeast(enough) },
    { name: 'median impressions of a new item', value: counts[added / 2]! },
    { name: 'most impressions of a new item', value: counts.at(-1) ?? 0 },
    { name: 'share of slots given to new items', value: total / (10 * requests.length) },
  ]
}

async function userNames(service: RenProcess): Promise<string[]> {
  const names: string[] = []
  for (let next: string | null = ''; next !== null;) {
    const after: string = next === '' ? '' : `&after=${encodeURIComponent(next)}`
    const page: UserPage = await service.get(`/v1/users?limit=1000${after}`)
    names.push(...page.entries.map(({ user }) => user))
    next = page.next
  }
  return names
}

interface UserPage {
  readonly entries: readonly { readonly user: string }[]
  readonly next: string | null
}
