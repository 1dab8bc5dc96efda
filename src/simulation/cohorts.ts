// A world out of what users are known to have taken. An item that is shown is a hit where it is among
// the user's own, each round is worth its precision, and users come in cohorts: a cohort is visited
// in a few sweeps, then the next one arrives, so that what was found before does not use up the world.

import { createRandom } from '../core/random.ts'
import type { Random } from '../core/random.ts'
import type { RenEvent } from '../core/events.ts'
import type { Environment, Outcome, Round, WarmUp } from './environment.ts'
import { knownItems, precisionOutcome, wantedFirst } from './hit-or-miss.ts'
import { requireOneOf, requireWholeNumbers } from './require-settings.ts'

/** The items that a user chose, in order of time, each once. */
export interface UserItems {
  readonly name: string
  readonly items: readonly string[]
}

/**
 * Settings of {@link createCohorts}. By default, 12 cohorts with 4 sweeps each, slates of 10 items,
 * and a cold start.
 */
export interface CohortsOptions {
  readonly seed: number | string
  readonly itemNames: readonly string[]
  readonly users: readonly UserItems[]
  /** How many of the users take part, drawn by the seed. Defaults to all. */
  readonly sample?: number
  /** Users come in this many cohorts of the same size, give or take one; 1 is a fixed pool. */
  readonly cohorts?: number
  /** How often each user of a cohort is visited. */
  readonly sweeps?: number
  readonly slateSize?: number
  /**
   * Whether items that were shown to a user may be shown again; if so, hits count again. Items of the
   * user's known history are never shown.
   */
  readonly repeats?: 'never' | 'allowed'
  /**
   * What joins a user's history: the hits, or what the user truly took, `slateSize` items from one
   * visit to the next whatever was shown; what has joined it is no hit any more.
   */
  readonly history?: 'hits' | 'organic'
  /** How many of each user's first items are known before the first round; 0 is a cold start. */
  readonly known?: number
  /** Items at random that stand against each known one, as if they had been disliked. */
  readonly negatives?: number
  /** How often each user's known items are learnt from, by who looks at 20 users a fine-tune. */
  readonly epochs?: number
  /** Rounds between two times of learning. */
  readonly learnEvery?: number
}

const defaults = {
  cohorts: 12,
  sweeps: 4,
  slateSize: 10,
  repeats: 'never',
  history: 'hits',
  known: 0,
  negatives: 9,
  epochs: 10,
  learnEvery: 10,
} as const

type Settings = Required<CohortsOptions>

/** A user in the course of the world. */
interface Member extends UserItems {
  /** What can still be a hit. */
  readonly wanted: Set<string>
  /** What is not to be shown (again). */
  readonly excluded: Set<string>
  visits: number
}

/**
 * Creates a world from the items that real users chose. A shown item is a hit if the user chose it
 * in the data; the reward of a round is the precision of its slate.
 */
export function createCohorts(options: CohortsOptions): Environment {
  const settings: Settings = { ...defaults, sample: options.users.length, ...options }
  requireSettings(settings)
  const { itemNames, slateSize, known, learnEvery } = settings
  const random = createRandom(settings.seed).fork('cohorts')
  const members = drawMembers(settings, random.fork('users'))
  const visits = scheduleOf(members, settings, random.fork('schedule'))
  for (const member of members) know(member, member.items.slice(0, known))
  let step = 0

  const now = (): Member => visits[step - 1]!

  function nextRound(): Round | null {
    if (step === visits.length) return null
    step += 1
    const member = now()
    const newEvents = settings.history === 'organic' ? newEventsOf(member, settings, step) : []
    member.visits += 1
    return {
      step,
      user: member.name,
      time: step,
      count: slateSize,
      exclude: [...member.excluded],
      endsInterval: step % learnEvery === 0,
      ...(newEvents.length > 0 && { newEvents }),
    }
  }

  return {
    name: `cohorts (${members.length} users, ${itemNames.length} items)`,
    itemNames,
    steps: visits.length,
    ...(known > 0 && { warmUp: warmUpOf(members, settings, random.fork('warm-up')) }),
    nextRound,
    respond: (_, slate) => answer(now(), slate, settings),
    bestSlate: () => wantedFirst(itemNames, now().wanted, now().excluded, slateSize),
    popularity: popularityOf(members),
  }
}

function drawMembers({ users, sample }: Settings, random: Random): readonly Member[] {
  return Array.from(random.choose(sample, users.length), (index) => {
    const user = users[index]!
    return { ...user, wanted: new Set(user.items), excluded: new Set(), visits: 0 }
  })
}

/** Who is visited in each round: a sweep visits everyone of a cohort once, in random order. */
function scheduleOf(
  members: readonly Member[],
  { cohorts, sweeps }: Settings,
  random: Random,
): readonly Member[] {
  const bound = (cohort: number): number => Math.floor((cohort * members.length) / cohorts)
  return Array.from({ length: cohorts * sweeps }, (_, sweep) => {
    const cohort = Math.floor(sweep / sweeps)
    const visited = members.slice(bound(cohort), bound(cohort + 1))
    random.shuffle(visited)
    return visited
  }).flat()
}

function answer(member: Member, slate: readonly string[], settings: Settings): Outcome {
  const { slateSize, repeats, history } = settings
  const outcome = precisionOutcome(slate, member.wanted, slateSize)
  if (repeats === 'never') know(member, slate)
  return history === 'hits' ? outcome : { ...outcome, taken: [] }
}

/** These are no hits any more, and not to be shown. */
function know(member: Member, items: readonly string[]): void {
  for (const item of items) {
    member.wanted.delete(item)
    member.excluded.add(item)
  }
}

/** What the user took since the last visit. */
function newEventsOf(member: Member, { slateSize, known }: Settings, time: number): RenEvent[] {
  if (member.visits === 0) return []
  const from = known + (member.visits - 1) * slateSize
  const taken = member.items.slice(from, from + slateSize)
  know(member, taken)
  return knownItems(member.name, taken, time)
}

const usersPerFineTune = 20

/**
 * Each known item as a slate of its own, then those that stand against it, then the take of it: all
 * at one moment of the history, and only the item itself counts as shown.
 */
function warmUpOf(members: readonly Member[], settings: Settings, random: Random): WarmUp {
  const { itemNames, known, negatives, epochs } = settings
  const events = members.flatMap(({ name: user, items }) => {
    const first = new Set(items.slice(0, known))
    const others = itemNames.filter((item) => !first.has(item))
    const take = (item: string, reward: number): RenEvent => {
      return { kind: 'interaction', user, item, reward, time: 0 }
    }
    return [...first].flatMap((item): RenEvent[] => [
      { kind: 'recommendation', user, items: [{ item, reward: 1 }], time: 0 },
      ...Array.from(random.choose(negatives, others.length), (other) => take(others[other]!, 0)),
      take(item, 1),
    ])
  })
  return { events, fineTunes: Math.ceil((epochs * members.length) / usersPerFineTune) }
}

/** The share of users who took an item at any time. */
function popularityOf(members: readonly Member[]): (item: string) => number {
  const counts = new Map<string, number>()
  for (const { items } of members) {
    for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  }
  return (item) => (counts.get(item) ?? 0) / members.length
}

function requireSettings(settings: Settings): void {
  const { users, known, itemNames } = settings
  const fewest = users.reduce((least, { items }) => Math.min(least, items.length), Infinity)
  requireWholeNumbers('cohorts', settings, {
    cohorts: 1,
    sweeps: 1,
    epochs: 1,
    learnEvery: 1,
    sample: [1, users.length],
    slateSize: [1, itemNames.length],
    known: [0, fewest],
  })
  if (known > 0) {
    requireWholeNumbers('cohorts', settings, { negatives: [0, itemNames.length - known] })
  }
  requireOneOf('cohorts', settings, {
    repeats: ['never', 'allowed'],
    history: ['hits', 'organic'],
  })
}
