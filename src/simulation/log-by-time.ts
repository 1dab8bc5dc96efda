// Any log of interactions, interval by interval: whoever acts in an interval is first shown a slate,
// which is worth what it has of what the user then took. Only of the slate is it told what was
// wanted; one learns at the interval's end (steps 1 to 4 of the paper's online procedure).

import { filterRows } from '../core/log.ts'
import type { InteractionLog } from '../core/log.ts'
import { createRandom } from '../core/random.ts'
import type { RenEvent } from '../recommender/index.ts'
import type { Environment, Outcome, Round } from './environment.ts'
import {
  hitsOutcome,
  invalid,
  knownItems,
  requireInterval,
  requireWholeNumbers,
  seenList,
} from './hit-or-miss.ts'

export interface LogByTimeOptions {
  readonly seed: number | string
  /** Milliseconds between two times of learning, or rows where the log has no clock. */
  readonly interval: number
  /** The share of the log, by time, that is known from the start; 0.5 unless set. */
  readonly warmUpShare?: number
  /** How often to learn from it; 15 unless set. */
  readonly warmUpFineTunes?: number
  /**
   * How many random items the warm-up tells of as shown and not wanted beside each that was taken:
   * from what was taken alone a reward cannot be learnt. 9 unless set.
   */
  readonly negatives?: number
  /** 10 unless set. */
  readonly slateSize?: number
  /** Whether what was taken without having been shown joins the history; true unless set. */
  readonly organic?: boolean
  /** Whether what a user is known to have taken may be shown again; true unless set. */
  readonly repeats?: boolean
  /** At most this many rounds; all there are unless set. */
  readonly steps?: number
}

const defaults = {
  warmUpShare: 0.5,
  warmUpFineTunes: 15,
  negatives: 9,
  slateSize: 10,
  organic: true,
  repeats: true,
  steps: Infinity,
} as const

type Settings = Required<LogByTimeOptions>

/** One user in one interval. */
interface Visit {
  readonly user: string
  readonly interval: number
  readonly time: number
  /** What the user took in the interval, in order. */
  readonly items: Set<string>
}

/** The reward of a round is precision. What was taken with a reward of 0 or less does not count. */
export function createLogByTime(log: InteractionLog, options: LogByTimeOptions): Environment {
  const settings: Settings = { ...defaults, ...options }
  requireSettings(settings, log.itemNames.length)
  const { slateSize, organic, repeats, warmUpFineTunes: fineTunes } = settings
  const liked = filterRows(log, (row) => log.rewards[row]! > 0)
  const { past, visits } = cutLog(liked, settings)
  if (visits.length === 0) throw invalid('log: nobody acts after the warm-up')
  const steps = Math.min(visits.length, settings.steps)
  const visitOf = ({ step }: Round): Visit => visits[step - 1]!
  const known = new Map<string, Set<string>>()
  const untold = new Map<string, readonly string[]>()
  for (const { user, item } of past) learnOf(user, [item])
  let step = 0

  function learnOf(user: string, items: readonly string[]): void {
    const all = known.get(user) ?? new Set()
    for (const item of items) all.add(item)
    known.set(user, all)
  }

  function respond(round: Round, slate: readonly string[]): Outcome {
    const { user, items } = visitOf(round)
    const relevant = slate.map((item) => items.has(item))
    const hits = slate.filter((item) => items.has(item))
    const others = organic ? [...items].filter((item) => !hits.includes(item)) : []
    learnOf(user, [...hits, ...others])
    untold.set(user, others)
    return hitsOutcome(relevant, {
      reward: hits.length / slateSize,
      bestReward: Math.min(slateSize, items.size) / slateSize,
      relevantCount: items.size,
    })
  }

  return {
    name: 'log by time',
    itemNames: log.itemNames,
    steps,
    ...(past.length > 0 && { warmUp: { events: warmUpEvents(past, log, settings), fineTunes } }),
    nextRound() {
      if (step === steps) return null
      const { user, time, interval } = visits[step++]!
      const news = knownItems(user, untold.get(user) ?? [], time)
      untold.delete(user)
      return {
        ...{ step, user, time, news, count: slateSize },
        ...(!repeats && { exclude: [...(known.get(user) ?? [])] }),
        endsInterval: step === steps || visits[step]!.interval > interval,
      }
    },
    respond,
    bestSlate(round) {
      const { user, items } = visitOf(round)
      const barred = repeats ? new Set() : (known.get(user) ?? new Set())
      const rest = log.itemNames.filter((item) => !items.has(item))
      return [...items, ...rest].filter((item) => !barred.has(item)).slice(0, slateSize)
    },
  }
}

interface Take {
  readonly user: string
  readonly item: string
  readonly time: number
}

/** What was taken up to the end of the warm-up, and who comes after it, both in order of time. */
function cutLog(
  { users, items, times, userNames, itemNames }: InteractionLog,
  { warmUpShare, interval: length }: Settings,
): { readonly past: readonly Take[]; readonly visits: readonly Visit[] } {
  const order = Array.from(users.keys()).sort((a, b) => times[a]! - times[b]!)
  const start = times[order[Math.floor(warmUpShare * order.length)]!] ?? Infinity
  const past: Take[] = []
  const visits = new Map<string, Visit>()
  for (const row of order) {
    const time = times[row]!
    const [user, item] = [userNames[users[row]!]!, itemNames[items[row]!]!]
    if (time < start) {
      past.push({ user, item, time })
      continue
    }
    const interval = Math.floor((time - start) / length)
    const key = `${interval} ${users[row]}`
    const visit = visits.get(key) ?? { user, interval, time, items: new Set<string>() }
    visit.items.add(item)
    visits.set(key, visit)
  }
  return { past, visits: [...visits.values()] }
}

function warmUpEvents(
  past: readonly Take[],
  { itemNames }: InteractionLog,
  { seed, negatives }: Settings,
): readonly RenEvent[] {
  const random = createRandom(seed).fork('log by time')
  return past.flatMap(({ user, item, time }) => {
    const others = Array.from(random.choose(negatives, itemNames.length), (k) => itemNames[k]!)
    const list = new Map([...others.map((name) => [name, false] as const), [item, true]])
    return seenList(user, list, time)
  })
}

function requireSettings(settings: Settings, itemCount: number): void {
  const { warmUpShare, slateSize, negatives } = settings
  requireWholeNumbers(
    'log',
    { ...settings },
    {
      ...{ slateSize: 1, warmUpFineTunes: 0, negatives: 0, steps: 1 },
    },
  )
  requireInterval('log', settings.interval)
  if (!(warmUpShare >= 0 && warmUpShare < 1)) {
    throw invalid(`log: warmUpShare must be from 0 to below 1, got ${warmUpShare}`)
  }
  if (Math.max(slateSize, negatives) > itemCount) {
    throw invalid(`log: slateSize and negatives must be at most the ${itemCount} items`)
  }
}
