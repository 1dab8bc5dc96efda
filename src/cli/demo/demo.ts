// The demo that `ren serve` starts: simulated users compare REN with the greedy model. It continues
// when all variants have trained, not by time, so a slower machine shows the same curves later.

import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

import { mean } from '../../core/statistics.ts'
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
import { createSplit } from '../../service/serving/variants.ts'
import { createTally, createSyn } from '../../simulation/index.ts'
import type { Outcome, Round } from '../../simulation/index.ts'
import type { Entrant, Pace } from './settings.ts'
import { demoSettings, entrantsOf, usualPace, itemName, catalog, userName } from './settings.ts'

// One variant of the demo: simulated users of one copy of the world. They use the service like any
// client: they request slates and report what they chose and what they disliked.

export interface Player {
  /** Plays up to that round, unless it has. After a failure it can be asked again. */
  playTo(round: number): Promise<void>
  describe(): DemoVariant
}

export interface PlayerOptions {
  readonly service: Pick<Service, 'recommend' | 'record'>
  readonly entrant: Entrant
  readonly rounds: Pace['rounds']
  /** The name of a user with these likes whom the variant serves. */
  readonly newUser: (likes: ReadonlySet<number>) => string
}

/** The mean of so many rounds is a point of the curve: fewer are noise. */
const smoothing = 60
const maxPoints = 300

export function createPlayer({ service, entrant, rounds, newUser }: PlayerOptions): Player {
  const { name: variant, policy, seed } = entrant
  const world = createSyn({ seed, repeats: 1, steps: rounds, feedback: 'shown' })
  const worldItems = new Map(world.itemNames.map((item) => [nameOf(item), item]))
  const users = new Map<string, string>()
  const tally = createTally({ itemCount: worldItems.size })
  const { rewards, regrets } = tally
  const pointEvery = 10 * Math.ceil(rounds / 10 / maxPoints)
  const curves = { at: [] as number[], reward: [] as number[], regret: [] as number[] }
  let round: Round | null = null

  function nameOf(item: string): string {
    return itemName(world.dimensionsOf(item))
  }

  function userOf(asking: Round): string {
    const known = users.get(asking.user)
    if (known !== undefined) return known
    const user = newUser(world.likesNow())
    users.set(asking.user, user)
    return user
  }

  async function play(asking: Round): Promise<void> {
    const user = userOf(asking)
    const { items, recommendationId } = await service.recommend({ user, count: asking.count })
    const names = items.map(({ item }) => item)
    const slate = names.map((name) => worldItems.get(name)!)
    const outcome = world.respond(asking, slate)
    await service.record(answersTo({ user, recommendationId: recommendationId! }, names, outcome))
    tally.add({ step: asking.step, user, slate, ...outcome })
    if (rewards.length % pointEvery === 0) addPoint()
  }

  function addPoint(): void {
    curves.at.push(rewards.length)
    curves.reward.push(mean(rewards.slice(-smoothing)))
    curves.regret.push(regrets.at(-1)!)
  }

  return {
    async playTo(wanted) {
      while (rewards.length < wanted) {
        round ??= world.nextRound()!
        await play(round)
        round = null
      }
    },
    describe: () => ({ variant, policy, seed, ...structuredClone(curves) }),
  }
}

/**
 * Reports the chosen item with its reward, and the items with reward 0. It does not report the other
 * items: the service counts each reported reward as an interaction, and these were not chosen.
 */
function answersTo(
  asked: Pick<UserEvent, 'user' | 'recommendationId'>,
  items: readonly string[],
  { reported, taken }: Outcome,
): readonly UserEvent[] {
  const answers = items.map((item, slot) => ({ ...asked, item, reward: reported[slot]! }))
  const disliked = answers.filter(({ reward }, slot) => reward === 0 && !taken.includes(slot))
  return [...disliked, ...taken.map((slot) => answers[slot]!)]
}

export interface OpenDemo extends DemoControl {
  /** Plays until it is over or the signal comes, whatever happens; resolves when nothing is under way. */
  run(signal: AbortSignal): Promise<void>
}

interface DemoOptions {
  readonly service: Service
  /** Those that the service was opened with. */
  readonly settings: ServiceSettings
  readonly entrants: readonly Entrant[]
  readonly pace: Pace
  readonly onLogMessage: (logMessage: LogMessage) => void
}

/** The service of a new store, and the demo on it, which has not begun. */
export async function openDemo(
  store: ServiceSettings['store'],
  onLogMessage: (logMessage: LogMessage) => void,
  {
    entrants = entrantsOf(),
    pace = usualPace,
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
  const namesFor = createUserNames(options.settings)
  const players = entrants.map((entrant) =>
    createPlayer({ service, entrant, rounds, newUser: namesFor(entrant.name) }),
  )
  let played = 0
  let isPaused = false
  let wake = Promise.withResolvers<void>()

  /** The next rounds of everybody, and what is learnt from them. */
  async function advance(): Promise<void> {
    const next = Math.min(rounds, played + learnEvery)
    const attempts = await Promise.allSettled(players.map((player) => player.playTo(next)))
    const failed = attempts.find((attempt) => attempt.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    await service.model.train()
    played = next
  }

  /** Whatever fails, the service goes on: it waits for somebody to say that it may try again. */
  function stumble(error: unknown): void {
    isPaused = true
    const reason = error instanceof Error ? error.message : String(error)
    const message = `the demo is paused: ${reason}; resumed, it goes on where it was`
    onLogMessage({ level: 'warning', message })
  }

  async function run(signal: AbortSignal): Promise<void> {
    const aborted = once(signal, 'abort')
    while (played < rounds && !signal.aborted) {
      if (isPaused) {
        await Promise.race([wake.promise, aborted])
        continue
      }
      const rest = delay(interval[played < climb ? 0 : 1], undefined, { signal }).catch(() => {})
      await advance().catch((error: unknown) => signal.aborted || stumble(error))
      await rest
    }
  }

  return {
    describe: () => ({
      state: played === rounds ? 'over' : isPaused ? 'paused' : 'running',
      world: worldOf(entrants),
      rounds,
      variants: players.map((player) => player.describe()),
    }),
    set(state) {
      isPaused = state === 'paused'
      if (isPaused) return
      wake.resolve()
      wake = Promise.withResolvers()
    },
    run,
  }
}

function worldOf(entrants: readonly Entrant[]): string {
  const copies = [...new Set(entrants.map(({ seed }) => String(seed)))]
  return (
    'Simulated users, no real ones, in the world SYN-S of the paper: 15 users like three of eight ' +
    'tastes each, 28 items have two of them, and four items are shown a round. Each seed, ' +
    `${new Intl.ListFormat('en-GB').format(copies)}, makes users of its own.`
  )
}

/**
 * Who is served by a variant is a hash of the name: numbers are tried until it is the wanted one. So no
 * name of one variant is another's too.
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
