// The demonstration that `ren serve` starts: simulated users against REN and the greedy model, side
// by side. It goes on when everybody has learnt, not by the clock alone, so a slower machine shows the
// same curves later.

import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

import { createSplit } from '../../service/arms.ts'
import { completeSettings } from '../../service/complete-settings.ts'
import { openService } from '../../service/index.ts'
import type { DemonstrationControl, Notice, Service } from '../../service/index.ts'
import type { ServiceSettings } from '../../service/settings.ts'
import { createPlayer } from './player.ts'
import { demonstrationSettings, entrantsOf, usualPace } from './settings.ts'
import type { Entrant, Pace } from './settings.ts'
import { catalogue, userName } from './tastes.ts'

export interface Demonstrated extends DemonstrationControl {
  /** Plays until it is over or the signal comes, whatever happens; resolves when nothing is under way. */
  run(signal: AbortSignal): Promise<void>
}

interface DemonstrationOptions {
  readonly service: Service
  /** Those that the service was opened with. */
  readonly settings: ServiceSettings
  readonly entrants: readonly Entrant[]
  readonly pace: Pace
  readonly onNotice: (notice: Notice) => void
}

/** The service of a new store, and the demonstration on it, which has not begun. */
export async function openDemonstration(
  store: ServiceSettings['store'],
  onNotice: (notice: Notice) => void,
  {
    entrants = entrantsOf(),
    pace = usualPace,
  }: Partial<Pick<DemonstrationOptions, 'entrants' | 'pace'>> = {},
): Promise<{ readonly service: Service; readonly demonstration: Demonstrated }> {
  const settings = demonstrationSettings(store, entrants, onNotice)
  const service = await openService(settings)
  try {
    await service.items.put(catalogue())
    const options = { service, settings, entrants, pace, onNotice }
    return { service, demonstration: createDemonstration(options) }
  } catch (error) {
    await service.close()
    throw error
  }
}

function createDemonstration(options: DemonstrationOptions): Demonstrated {
  const { service, entrants, pace, onNotice } = options
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
    const message = `the demonstration is paused: ${reason}; resumed, it goes on where it was`
    onNotice({ level: 'warning', message })
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
      arms: players.map((player) => player.describe()),
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
 * Who is served by an arm is a hash of the name: numbers are tried until it is the wanted one. So no
 * name of one arm is another's too.
 */
function createUserNames(settings: ServiceSettings) {
  const split = createSplit(completeSettings(settings))
  return (arm: string) => {
    let number = 0
    return (likes: ReadonlySet<number>): string => {
      for (;;) {
        const name = userName(++number, likes)
        if (split.armOf(name).name === arm) return name
      }
    }
  }
}
