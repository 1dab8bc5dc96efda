// The demo that `ren serve` starts: simulated users compare REN with the greedy model. It continues
// when all variants have trained, not by time, so a slower machine shows the same curves later.

import { EventEmitter, once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

import { completeSettings } from '../../service/complete-settings.ts'
import type {
  DemoVariant,
  Service,
  UserEvent,
  DemoControl,
  LogMessage,
} from '../../service/index.ts'
import { openService } from '../../service/index.ts'
import type { ServiceSettings } from '../../service/settings.ts'
import { createSplit } from '../../service/state/model-groups.ts'
import { createTally, createSyn, rollingMean } from '../../simulation/index.ts'
import type { Outcome, Round, Tally } from '../../simulation/index.ts'
import type { Entrant, Pace } from './settings.ts'
import { demoSettings, entrantsOf, defaultPace, itemName, catalog, userName } from './settings.ts'

/** The simulated users of one variant, in one copy of the world. They use the service like any client. */
type Player = ReturnType<typeof createPlayer>

interface PlayerOptions {
  readonly service: Pick<Service, 'recommend' | 'record'>
  readonly entrant: Entrant
  readonly rounds: Pace['rounds']
  /** Creates the name of a user who likes these dimensions and whom the variant serves. */
  readonly newUser: (likes: ReadonlySet<number>) => string
}

export function createPlayer({ service, entrant, rounds, newUser }: PlayerOptions) {
  const { name: variant, policy, seed } = entrant
  const world = createSyn({ seed, repeats: 1, steps: rounds, feedback: 'shown' })
  const worldItems = new Map(
    world.itemNames.map((item) => [itemName(world.dimensionsOf(item)), item]),
  )
  const users = new Map<string, string>()
  const tally = createTally({ itemCount: worldItems.size })
  let round: Round | null = null

  function userOf(worldUser: string): string {
    const user = users.get(worldUser) ?? newUser(world.likesNow())
    users.set(worldUser, user)
    return user
  }

  async function play(current: Round): Promise<void> {
    const user = userOf(current.user)
    const { items, recommendationId } = await service.recommend({ user, count: current.count })
    const names = items.map(({ item }) => item)
    const slate = names.map((name) => worldItems.get(name)!)
    const outcome = world.respond(current, slate)
    await service.record(feedbackOn({ user, recommendationId: recommendationId! }, names, outcome))
    tally.add({ step: current.step, user, slate, ...outcome })
  }

  return {
    /** Plays up to that round. It can be called again after a failure. */
    async playTo(wanted: number): Promise<void> {
      while (tally.rewards.length < wanted) {
        round ??= world.nextRound()!
        await play(round)
        round = null
      }
    },
    describe: (): DemoVariant => ({ variant, policy, seed, ...curvesOf(tally, rounds) }),
  }
}

/** Rounds of the rolling mean; with fewer, the curve is mostly noise. */
const smoothing = 60
const maxPoints = 300

/** The reward and the regret by round, for a demo of so many rounds. */
function curvesOf({ rewards, regrets }: Tally, rounds: number) {
  const every = 10 * Math.ceil(rounds / 10 / maxPoints)
  const at = Array.from({ length: Math.floor(rewards.length / every) }, (_, i) => (i + 1) * every)
  const regret = at.map((played) => regrets[played - 1]!)
  return { at, reward: rollingMean(rewards, at, smoothing), regret }
}

/**
 * Reports the chosen items with their reward, and the items with reward 0. The other items are not
 * reported, because the service counts each reported reward as an interaction.
 */
function feedbackOn(
  request: Pick<UserEvent, 'user' | 'recommendationId'>,
  items: readonly string[],
  { reported, chosen }: Outcome,
): readonly UserEvent[] {
  const events = items.map((item, slot) => ({ ...request, item, reward: reported[slot]! }))
  const disliked = events.filter(({ reward }, slot) => reward === 0 && !chosen.includes(slot))
  return [...disliked, ...chosen.map((slot) => events[slot]!)]
}

export interface OpenDemo extends DemoControl {
  /** Plays to the end or until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

interface DemoOptions {
  readonly service: Service
  /** The settings of the service. */
  readonly settings: ServiceSettings
  readonly entrants: readonly Entrant[]
  readonly pace: Pace
  readonly onLogMessage: (logMessage: LogMessage) => void
}

/** Opens the service on a new store, with a demo that has not started. */
export async function openDemo(
  store: ServiceSettings['store'],
  onLogMessage: (logMessage: LogMessage) => void,
  {
    entrants = entrantsOf(),
    pace = defaultPace,
  }: Partial<Pick<DemoOptions, 'entrants' | 'pace'>> = {},
): Promise<{ readonly service: Service; readonly demo: OpenDemo }> {
  const settings = demoSettings(store, entrants, onLogMessage)
  const service = await openService(settings)
  try {
    await service.items.put(catalog())
    const options = { service, settings, entrants, pace, onLogMessage }
    return { service, demo: createDemo(options) }
  } catch (error) {
    await service.close()
    throw error
  }
}

function createDemo(options: DemoOptions): OpenDemo {
  const { service, entrants, pace, onLogMessage } = options
  const { rounds, learnEvery, climb, interval } = pace
  const players = createPlayers(options)
  const resumption = new EventEmitter()
  let [isPaused, played] = [false, 0]

  async function advance(): Promise<void> {
    const next = Math.min(rounds, played + learnEvery)
    await playAll(players, next).then(() => service.model.train())
    played = next
  }

  return {
    describe: () => ({
      state: played === rounds ? 'done' : isPaused ? 'paused' : 'running',
      world: worldOf(entrants),
      rounds,
      variants: players.map((player) => player.describe()),
    }),
    set(state) {
      isPaused = state === 'paused'
      if (!isPaused) resumption.emit('resume')
    },
    async run(signal) {
      while (played < rounds && !signal.aborted) {
        if (isPaused) {
          await once(resumption, 'resume', { signal }).catch(() => {})
          continue
        }
        const rest = delay(interval[played < climb ? 0 : 1], undefined, { signal }).catch(() => {})
        await advance().catch((error: unknown) => {
          isPaused = !signal.aborted
          if (isPaused) onLogMessage(pausedBy(error))
        })
        await rest
      }
    },
  }
}

function createPlayers({ service, settings, entrants, pace }: DemoOptions): readonly Player[] {
  const namesFor = createUserNames(settings)
  return entrants.map((entrant) =>
    createPlayer({ service, entrant, rounds: pace.rounds, newUser: namesFor(entrant.name) }),
  )
}

/** Waits for all players, also after a failure of one. */
async function playAll(players: readonly Player[], round: number): Promise<void> {
  const attempts = await Promise.allSettled(players.map((player) => player.playTo(round)))
  const failed = attempts.find((attempt) => attempt.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** The service continues after a failure of the demo, which waits until someone resumes it. */
function pausedBy(error: unknown): LogMessage {
  const reason = error instanceof Error ? error.message : String(error)
  const message = `the demo is paused: ${reason}; resume it to continue where it stopped`
  return { level: 'warning', message }
}

function worldOf(entrants: readonly Entrant[]): string {
  const copies = [...new Set(entrants.map(({ seed }) => String(seed)))]
  return (
    'Simulated users, no real ones, in the world SYN-S of the paper: each of 15 users likes three of ' +
    'eight tastes, each of 28 items has two of them, and each round shows four items. Each seed ' +
    `(${copies.join(', ')}) has its own users.`
  )
}

/**
 * A hash of the user name selects the variant, so numbers are tried until the variant is the wanted one.
 * Variants therefore never share a user.
 */
function createUserNames(settings: ServiceSettings) {
  const split = createSplit(completeSettings(settings))
  return (variant: string) => {
    let number = 0
    return (likes: ReadonlySet<number>): string => {
      for (;;) {
        const name = userName(++number, likes)
        if (split.variantOf(name).name === variant) return name
      }
    }
  }
}
