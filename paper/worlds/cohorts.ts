// A world from the items that real users chose. A shown item is a hit if the user chose it in the
// data, and the reward of a round is its precision. Users arrive in cohorts: each cohort is visited in
// a few sweeps before the next one arrives, so that there are always users with items left to find.

import type { RenEvent } from '../../src/core/events.ts'
import { createRandom, type Random } from '../../src/core/random.ts'
import {
  choice,
  nonNegativeInteger,
  numberWithin,
  positiveInteger,
  requireSettings,
  withDefaults,
} from '../../src/core/settings.ts'
import type { SettingsInput } from '../../src/core/settings.ts'
import { knownItems, precisionOutcome, wantedFirst } from '../../src/simulation/hit-or-miss.ts'
import type { Environment, Outcome, Round, WarmUp } from '../../src/simulation/index.ts'

/** The items that a user chose, in order of time, each once. */
export interface UserItems {
  /** The name of the user. */
  readonly name: string
  /** The names of the items. */
  readonly items: readonly string[]
}

export const cohortsSettings = {
  sample: positiveInteger('Number of users, drawn at random; defaults to all'),
  cohorts: positiveInteger('Cohorts of about equal size; 1 is a fixed pool of users', 12),
  sweeps: positiveInteger('Visits per user of a cohort', 4),
  slateSize: positiveInteger('Items per slate', 10),
  // Items of the user's known history are never shown again.
  repeats: choice(
    'Whether shown items may be shown again to the same user, and hits count again',
    ['never', 'allowed'],
    'never',
  ),
  // Items of the history are no hits.
  history: choice(
    'Items that join the history: hits, or the next slateSize items that the user chose in the data',
    ['hits', 'organic'],
    'hits',
  ),
  known: nonNegativeInteger('First items of each user that are known from the start', 0),
  negatives: nonNegativeInteger('Random items per known item that count as disliked', 9),
  epochs: positiveInteger('Passes over the known items, with 20 users per fine-tuning', 10),
  learnEvery: positiveInteger('Rounds between two fine-tunings', 10),
} as const

/**
 * Settings of {@link createCohorts}. By default, 12 cohorts with 4 sweeps each, slates of 10 items,
 * and a cold start.
 */
export interface CohortsOptions extends SettingsInput<typeof cohortsSettings> {
  /** Determines all random draws of the world. */
  readonly seed: number | string
  /** The catalog. */
  readonly itemNames: readonly string[]
  /** The users and the items that they like. */
  readonly users: readonly UserItems[]
}

type Settings = ReturnType<typeof complete>

function complete(options: CohortsOptions) {
  const { users, itemNames } = options
  const settings = withDefaults('cohorts', cohortsSettings, options)
  const fewest = users.reduce((least, { items }) => Math.min(least, items.length), Infinity)
  const upTo = (minimum: number, maximum: number) =>
    numberWithin('integer', { minimum, maximum })('Bounded by the data')
  requireSettings(
    'cohorts',
    {
      sample: upTo(1, users.length),
      slateSize: upTo(1, itemNames.length),
      known: upTo(0, fewest),
      ...(settings.known > 0 && { negatives: upTo(0, itemNames.length - settings.known) }),
    },
    settings,
  )
  return { ...settings, sample: settings.sample ?? users.length }
}

/** A user and the state of their visits. */
interface Member extends UserItems {
  /** Items that can still be a hit. */
  readonly wanted: Set<string>
  /** Items that must not be shown. */
  readonly excluded: Set<string>
  visits: number
}

/**
 * Creates a world from the items that real users chose. A shown item is a hit if the user chose it
 * in the data; the reward of a round is the precision of its slate.
 */
export function createCohorts(options: CohortsOptions): Environment {
  const settings = complete(options)
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
    respond: (_, slate) => respond(now(), slate, settings),
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

/** Returns the user of each round: a sweep visits all users of a cohort once, in random order. */
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

function respond(member: Member, slate: readonly string[], settings: Settings): Outcome {
  const { slateSize, repeats, history } = settings
  const outcome = precisionOutcome(slate, member.wanted, slateSize)
  if (repeats === 'never') know(member, slate)
  return history === 'hits' ? outcome : { ...outcome, chosen: [] }
}

/** Removes items from the possible hits and excludes them from slates. */
function know(member: Member, items: readonly string[]): void {
  for (const item of items) {
    member.wanted.delete(item)
    member.excluded.add(item)
  }
}

/** Returns the items that the user chose since the last visit, as events. */
function newEventsOf(member: Member, { slateSize, known }: Settings, time: number): RenEvent[] {
  if (member.visits === 0) return []
  const from = known + (member.visits - 1) * slateSize
  const chosen = member.items.slice(from, from + slateSize)
  know(member, chosen)
  return knownItems(member.name, chosen, time)
}

const usersPerFineTune = 20

/**
 * Creates the events of each known item: a slate with this item, interactions of reward 0 with
 * random other items, and the interaction with the item, all at one moment. Only the item itself
 * counts as shown.
 */
function warmUpOf(members: readonly Member[], settings: Settings, random: Random): WarmUp {
  const { itemNames, known, negatives, epochs } = settings
  const events = members.flatMap(({ name: user, items }) => {
    const first = new Set(items.slice(0, known))
    const others = itemNames.filter((item) => !first.has(item))
    const interaction = (item: string, reward: number): RenEvent => {
      return { kind: 'interaction', user, item, reward, time: 0 }
    }
    return [...first].flatMap((item): RenEvent[] => [
      { kind: 'recommendation', user, items: [{ item, reward: 1 }], time: 0 },
      ...Array.from(random.choose(negatives, others.length), (other) =>
        interaction(others[other]!, 0),
      ),
      interaction(item, 1),
    ])
  })
  return { events, fineTunes: Math.ceil((epochs * members.length) / usersPerFineTune) }
}

/** Returns the share of users who chose an item at any time. */
function popularityOf(members: readonly Member[]): (item: string) => number {
  const counts = new Map<string, number>()
  for (const { items } of members) {
    for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  }
  return (item) => (counts.get(item) ?? 0) / members.length
}
