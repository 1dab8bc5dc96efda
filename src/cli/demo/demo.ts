// The demo that `ren serve` starts: simulated users against REN and the greedy model, side
// by side. It goes on when everybody has learnt, not by the clock alone, so a slower machine shows the
// same curves later.

import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

import { createSplit } from '../../service/serving/variants.ts'
import { completeSettings } from '../../service/complete-settings.ts'
import { openService } from '../../service/index.ts'
import type { DemoControl, LogMessage, Service } from '../../service/index.ts'
import type { ServiceSettings } from '../../service/settings.ts'
import { createPlayer } from './player.ts'
import { demoSettings, entrantsOf, usualPace } from './settings.ts'
import type { Entrant, Pace } from './settings.ts'
import { catalog, userName } from './tastes.ts'

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
