// Any log of interactions, interval by interval. Each user who acts in an interval is first shown a
// slate; its reward is the number of its items that the user then chose. Feedback covers the slate
// only, and learning happens at the end of the interval (steps 1 to 4 of the paper's procedure).

import { filterRows } from '../core/log.ts'
import type { InteractionLog } from '../core/log.ts'
import { createRandom } from '../core/random.ts'
import type { RenEvent } from '../recommender/index.ts'
import type { Environment, Outcome, Round } from './environment.ts'
import { knownItems, precisionOutcome, seenList, wantedFirst } from './hit-or-miss.ts'
import { invalid, requireNumbers, requireWholeNumbers } from './require-settings.ts'

/** Settings of {@link createLogByTime}. */
export interface LogByTimeOptions {
  readonly seed: number | string
  /** Milliseconds between two times of learning. */
  readonly interval: number
  /** The share of the log, by time, that is known from the start. Defaults to 0.5. */
  readonly warmUpShare?: number
  /** How often to learn from it. Defaults to 15. */
  readonly warmUpFineTunes?: number
  /**
   * How many random items the warm-up reports as shown and not chosen for each chosen item: a model
   * cannot learn a reward from chosen items alone. Defaults to 9.
   */
  readonly negatives?: number
  /** Defaults to 10. */
  readonly slateSize?: number
  /** Whether items that were chosen without being shown join the history. Defaults to true. */
  readonly organic?: boolean
  /**
   * Whether items that a user is known to have chosen may be shown again, and count again if chosen
   * again. Defaults to true.
   */
  readonly repeats?: boolean
  /** Maximum of rounds. Defaults to all. */
  readonly steps?: number
}

const defaults = {
  warmUpShare: 0.5,
  warmUpFineTunes: 15,
  negatives: 9,
  slateSize: 10,
  organic: true,
  repeats: true,
  steps: Number.MAX_SAFE_INTEGER,
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

/**
 * Creates a world that replays a log interval by interval. The reward of a round is the precision
 * of its slate; interactions with a reward of 0 or less do not count.
 */
export function createLogByTime(log: InteractionLog, options: LogByTimeOptions): Environment {
  const settings: Settings = { ...defaults, ...options }
  requireSettings(settings, log.itemNames.length)
  const { slateSize, organic, warmUpFineTunes: fineTunes } = settings
  const { past, visits } = cutLog(log, settings)
  if (visits.length === 0) throw invalid('log: nobody acts after the warm-up')
  const steps = Math.min(visits.length, settings.steps)
  const barred = createBarred(past, settings)
  const unreported = new Map<string, readonly string[]>()
  let step = 0

  function nextRound(): Round | null {
    if (step === steps) return null
    const { user, time, interval } = visits[step++]!
    const newEvents = knownItems(user, unreported.get(user) ?? [], time)
    const exclude = [...barred.of(user)]
    const endsInterval = step === steps || visits[step]!.interval > interval
    return { step, user, time, newEvents, exclude, count: slateSize, endsInterval }
  }

  function respond({ step: at, user }: Round, slate: readonly string[]): Outcome {
    const { items } = visits[at - 1]!
    const hits = slate.filter((item) => items.has(item))
    const others = organic ? [...items].filter((item) => !slate.includes(item)) : []
    unreported.set(user, others)
    barred.add(user, [...hits, ...others])
    return precisionOutcome(slate, items, slateSize)
  }

  return {
    name: `log by time (${log.userNames.length} users, ${log.itemNames.length} items)`,
    itemNames: log.itemNames,
    steps,
    ...(past.length > 0 && { warmUp: { events: warmUpEvents(past, log, settings), fineTunes } }),
    nextRound,
    respond,
    bestSlate: ({ step: at, exclude }) =>
      wantedFirst(log.itemNames, visits[at - 1]!.items, new Set(exclude), slateSize),
  }
}

/** What users are known to have taken and may not be shown again, where nothing repeats. */
function createBarred(past: readonly Take[], { repeats }: Settings) {
  const barred = new Map<string, Set<string>>()
  const of = (user: string): ReadonlySet<string> => barred.get(user) ?? new Set()
  function add(user: string, items: readonly string[]): void {
    if (repeats) return
    const all = barred.get(user) ?? new Set()
    for (const item of items) all.add(item)
    barred.set(user, all)
  }
  for (const { user, item } of past) add(user, [item])
  return { of, add }
}

interface Take {
  readonly user: string
  readonly item: string
  readonly time: number
}

/** What was taken up to the end of the warm-up, and who comes after it, both in order of time. */
function cutLog(
  log: InteractionLog,
  { warmUpShare, interval: length, repeats }: Settings,
): { readonly past: readonly Take[]; readonly visits: readonly Visit[] } {
  const { users, items, times, userNames, itemNames } = filterRows(
    log,
    (row) => log.rewards[row]! > 0,
  )
  const order = [...users.keys()].toSorted((a, b) => times[a]! - times[b]!)
  const start = times[order[Math.floor(warmUpShare * order.length)]!] ?? Infinity
  const past: Take[] = []
  const visits = new Map<string, Visit>()
  const taken = new Set<string>()
  for (const row of order) {
    const time = times[row]!
    const take = `${users[row]} ${items[row]}`
    if (!repeats && taken.has(take)) continue
    taken.add(take)
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
  const count = Math.min(negatives, itemNames.length)
  return past.flatMap(({ user, item, time }) => {
    const others = Array.from(random.choose(count, itemNames.length), (k) => itemNames[k]!)
    const list = new Map([...others.map((name) => [name, false] as const), [item, true]])
    return seenList(user, list, time)
  })
}

function requireSettings(settings: Settings, itemCount: number): void {
  requireWholeNumbers('log', settings, {
    slateSize: [1, itemCount],
    warmUpFineTunes: 0,
    negatives: 0,
    steps: 1,
  })
  requireNumbers('log', settings, { interval: 'above 0', warmUpShare: 'from 0 to below 1' })
}
