// MIND-5k: lists of articles in order of time. The service chooses ten of each shown list and receives
// the clicks among them; a click counter does the same. Both know the first 270 lists (13 hours) in
// full.

import { join } from 'node:path'
import { historyBefore } from '../../paper/impressions/impression-log.ts'
import type { ImpressionLog } from '../../paper/impressions/impression-log.ts'
import { mean, standardError } from '../../src/core/statistics.ts'
import { clickRate, clickRateUcb, createCounter } from '../../paper/counters/counters.ts'
import type { CounterRule } from '../../paper/counters/counters.ts'
import { readMind } from '../../paper/worlds/read-mind.ts'
import { createImpressions } from '../../paper/impressions/environment.ts'
import { run } from '../../src/simulation/index.ts'
import type { Environment, Row } from '../../src/simulation/index.ts'
import { putItems, serveRen } from './ren-process.ts'
import type { RenProcess } from './ren-process.ts'
import { atLeast } from './row.ts'
import type { QualityFigure, QualityRow, RowOptions } from './row.ts'

/** The prior of the counter for every item, as in paper/plans/mind.json. */
const prior = { clicks: 1, misses: 20 }
const seed = 1

export const mind: QualityRow = {
  title: 'MIND-5k, ten of each list shown',
  seeds: { test: [1], validation: [1] },
  async *run(options) {
    const { log } = await readMind(join(options.data, 'mind-5k'))
    const first = createImpressions(log).steps
    const lists = Math.min(options.limit, options.split === 'test' ? first : Math.floor(first / 2))
    const served = await serveLists(log, lists, options)
    const counted = playCounter(log, lists, clickRate(prior))
    const withBonus = playCounter(log, lists, clickRateUcb({ ...prior, bonusWeight: 0.1 }))
    const figures = [0, Math.floor(lists / 2)].flatMap((from) =>
      compare(served.slice(from), counted.slice(from), withBonus.slice(from), from > 0),
    )
    yield { stage: null, figures }
  },
}

/** Reciprocal ranks of a click counter that learns from each list immediately. */
function playCounter(log: ImpressionLog, lists: number, rule: CounterRule): number[] {
  const environment = createImpressions(log, { steps: lists })
  const counter = createCounter({ itemNames: environment.itemNames, seed, rule })
  return Array.from(run(environment, counter), ({ reward }: Row) => reward)
}

async function serveLists(
  log: ImpressionLog,
  lists: number,
  options: RowOptions,
): Promise<number[]> {
  const { folder, serve, seeds, flags, progress } = options
  const environment = createImpressions(log, { steps: lists })
  const service = await serveRen({
    ...options,
    store: join(folder, 'mind.db'),
    args: ['--seed', String(seeds[0] ?? 1), ...serve],
  })
  await putItems(service, environment.itemNames)
  if (flags.has('histories')) await sendHistories(service, log)
  await showKnownLists(service, environment)
  const ranks = await playRounds(service, environment, progress)
  await service.stop()
  return ranks
}

/** The clicks of every user before their first list, oldest first. */
async function sendHistories(service: RenProcess, log: ImpressionLog): Promise<void> {
  const known = new Set<number>()
  for (const [row, user] of log.users.entries()) {
    if (known.has(user)) continue
    known.add(user)
    const events = Array.from(historyBefore(log, row).slice(-32), (item) => ({
      user: log.userNames[user]!,
      item: log.itemNames[item]!,
    }))
    if (events.length > 0) await service.record(events)
  }
}

/** Serves each list in full, in any order, and reports its clicks. */
async function showKnownLists(service: RenProcess, { warmUp }: Environment): Promise<void> {
  for (const event of warmUp?.events ?? []) {
    if (event.kind !== 'recommendation') continue
    const { user, items } = event
    const candidates = items.map(({ item }) => item)
    const request = { user, candidates, count: candidates.length }
    const { recommendationId } = await service.recommend(request)
    const clicked = items.filter(({ reward }) => reward === 1).map(({ item }) => item)
    await sendClicks(service, user, clicked, recommendationId)
  }
}

async function playRounds(
  service: RenProcess,
  environment: Environment,
  progress: (message: string) => void,
): Promise<number[]> {
  const ranks: number[] = []
  for (let round = environment.nextRound(); round !== null; round = environment.nextRound()) {
    const { user, candidates, count } = round
    const { recommendationId, items } = await service.recommend({ user, candidates, count })
    const slate = items.map(({ item }) => item)
    const { reward, chosen } = environment.respond(round, slate)
    const clicked = chosen.map((slot) => slate[slot]!)
    await sendClicks(service, user, clicked, recommendationId)
    ranks.push(reward)
    if (ranks.length % 1000 === 0) {
      progress(`${ranks.length} lists, MRR@10 ${mean(ranks).toFixed(4)}`)
    }
  }
  return ranks
}

async function sendClicks(
  service: RenProcess,
  user: string,
  items: readonly string[],
  recommendationId: string | null,
): Promise<void> {
  if (items.length === 0) return
  await service.record(items.map((item) => ({ user, item, recommendationId })))
}

function compare(
  served: readonly number[],
  counted: readonly number[],
  withBonus: readonly number[],
  isHalf: boolean,
): QualityFigure[] {
  const part = isHalf ? 'last half' : 'all'
  const differences = served.map((rank, at) => rank - counted[at]!)
  const error = standardError(differences)
  return [
    { name: `MRR@10, ${part}`, value: mean(served), error: standardError(served) },
    { name: `MRR@10 of the click counter, ${part}`, value: mean(counted) },
    { name: `MRR@10 of the click counter with UCB, ${part}`, value: mean(withBonus) },
    {
      name: `paired difference to the click counter, ${part}`,
      value: mean(differences),
      error,
      bar: atLeast(0, 1.96 * error),
    },
  ]
}
