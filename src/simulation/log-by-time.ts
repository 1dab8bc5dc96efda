// A world from a log of interactions, interval by interval. Each user with interactions in an interval
// first gets a slate; its reward is the share of its items that the user then chose. Feedback covers
// only the slate, and learning happens at the end of the interval (steps 1 to 4 of the paper's
// procedure).

import { filterRows, type InteractionLog } from '../core/log.ts'
import { createRandom } from '../core/random.ts'
import type { RenEvent } from '../recommender/index.ts'
import type { Environment, Outcome, Round } from './environment.ts'
import { knownItems, precisionOutcome, slateEvents, wantedFirst } from './hit-or-miss.ts'
import { invalid } from '../core/errors.ts'
import {
  flag,
  nonNegativeInteger,
  numberWithin,
  positiveInteger,
  positiveNumber,
  requireSettings,
  shareBelowOne,
  withDefaults,
} from '../core/settings.ts'
import type { SettingsInput } from '../core/settings.ts'

export const logByTimeSettings = {
  warmUpShare: shareBelowOne('Share of the log, by time, that is known from the start', 0.5),
  warmUpFineTunes: nonNegativeInteger('Times to learn from the warm-up', 15),
  // A model cannot learn rewards from chosen items alone.
  negatives: nonNegativeInteger(
    'Random items per chosen item that the warm-up reports as shown and not chosen',
    9,
  ),
  slateSize: positiveInteger('Items per slate', 10),
  organic: flag('Whether items that the user chose without an impression join the history', true),
  repeats: flag('Whether items that a user has chosen may be shown again, and count again', true),
  steps: positiveInteger('Maximum number of rounds; defaults to all'),
} as const

/** Settings of {@link createLogByTime}. */
export interface LogByTimeOptions extends SettingsInput<typeof logByTimeSettings> {
  /** Determines all random draws of the world. */
  readonly seed: number | string
  /** Milliseconds between two fine-tunings. */
  readonly interval: number
}

type Settings = ReturnType<typeof complete>

function complete(options: LogByTimeOptions, itemCount: number) {
  const ownSettings = {
    interval: positiveNumber('Milliseconds between two fine-tunings'),
    slateSize: numberWithin('integer', { minimum: 1, maximum: itemCount })('Items per slate'),
  }
  const settings = withDefaults('log', logByTimeSettings, options)
  requireSettings('log', ownSettings, settings)
  return settings
}

/** One user in one interval. */
interface Visit {
  readonly user: string
  readonly interval: number
  readonly time: number
  /** The items that the user chose in the interval, in order. */
  readonly items: Set<string>
}

/**
 * Creates a world that replays a log interval by interval. The reward of a round is the precision
 * of its slate; interactions with a reward of 0 or less do not count.
 */
export function createLogByTime(log: InteractionLog, options: LogByTimeOptions): Environment {
  const settings = complete(options, log.itemNames.length)
  const { slateSize, organic, warmUpFineTunes: fineTunes } = settings
  const { past, visits } = cutLog(log, settings)
  if (visits.length === 0) throw invalid('log: no interactions are after the warm-up')
  const steps = Math.min(visits.length, settings.steps ?? Infinity)
  const excluded = createExclusions(past, settings)
  const unreported = new Map<string, readonly string[]>()
  let step = 0

  function nextRound(): Round | null {
    if (step === steps) return null
    const { user, time, interval } = visits[step++]!
    const newEvents = knownItems(user, unreported.get(user) ?? [], time)
    const exclude = [...excluded.of(user)]
    const endsInterval = step === steps || visits[step]!.interval > interval
    return { step, user, time, newEvents, exclude, count: slateSize, endsInterval }
  }

  function respond({ step: at, user }: Round, slate: readonly string[]): Outcome {
    const { items } = visits[at - 1]!
    const hits = slate.filter((item) => items.has(item))
    const others = organic ? [...items].filter((item) => !slate.includes(item)) : []
    unreported.set(user, others)
    excluded.add(user, [...hits, ...others])
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

/** Tracks the chosen items of each user, which are not shown again if `repeats` is false. */
function createExclusions(past: readonly Interaction[], { repeats }: Settings) {
  const excluded = new Map<string, Set<string>>()
  const of = (user: string): ReadonlySet<string> => excluded.get(user) ?? new Set()
  function add(user: string, items: readonly string[]): void {
    if (repeats) return
    const all = excluded.get(user) ?? new Set()
    for (const item of items) all.add(item)
    excluded.set(user, all)
  }
  for (const { user, item } of past) add(user, [item])
  return { of, add }
}

interface Interaction {
  readonly user: string
  readonly item: string
  readonly time: number
}

/** Returns the interactions of the warm-up and the visits after it, both in order of time. */
function cutLog(
  log: InteractionLog,
  { warmUpShare, interval: length, repeats }: Settings,
): { readonly past: readonly Interaction[]; readonly visits: readonly Visit[] } {
  const rewarded = filterRows(log, (row) => log.rewards[row]! > 0)
  const { users, items, times, userNames, itemNames } = rewarded
  const order = [...users.keys()].toSorted((a, b) => times[a]! - times[b]!)
  const start = times[order[Math.floor(warmUpShare * order.length)]!] ?? Infinity
  const past: Interaction[] = []
  const visits = new Map<string, Visit>()
  const pairs = new Set<string>()
  for (const row of order) {
    const time = times[row]!
    const pair = `${users[row]} ${items[row]}`
    if (!repeats && pairs.has(pair)) continue
    pairs.add(pair)
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
  past: readonly Interaction[],
  { itemNames }: InteractionLog,
  { seed, negatives }: Settings,
): readonly RenEvent[] {
  const random = createRandom(seed).fork('log by time')
  const count = Math.min(negatives, itemNames.length)
  return past.flatMap(({ user, item, time }) => {
    const others = Array.from(random.choose(count, itemNames.length), (k) => itemNames[k]!)
    const list = new Map([...others.map((name) => [name, false] as const), [item, true]])
    return slateEvents(user, list, time)
  })
}
