// Every world by name.

import { Type, type Static } from 'typebox'

import { invalid, RenError } from '../../core/errors.ts'
import type { InteractionLog } from '../../core/log.ts'
import { hour } from '../../core/time-units.ts'
import { readCsv } from '../../datasets/index.ts'
import { coldContentSettings } from '../../simulation/cold-content.ts'
import { genresSettings } from '../../simulation/genres.ts'
import {
  createColdContent,
  createGenres,
  createLogByTime,
  createSyn,
  type Environment,
  type SynOptions,
} from '../../simulation/index.ts'
import { logByTimeSettings } from '../../simulation/log-by-time.ts'
import { synSettings } from '../../simulation/syn.ts'
import { closed, count, optionalSettings, positive, text, timeUnit } from '../schema.ts'
import { createLogCache, defineWorld, type World } from './world.ts'

const synSchema = closed({ steps: Type.Optional(count), ...optionalSettings(synSettings) })

/** Feedback on more items makes learning faster. */
const defaultSteps = { selected: 2000, shown: 1000 } as const

const syn = (name: string, repeats: number, defaults: Partial<SynOptions> = {}) =>
  defineWorld(name, synSchema, ({ feedback = 'selected', ...settings }, seed) =>
    createSyn({ steps: defaultSteps[feedback], ...defaults, feedback, ...settings, seed, repeats }),
  )

/** SYN-S with known items: one user at a time, who gets one item in each of 30 rounds and leaves. */
const newUsers = {
  steps: 3000,
  users: 1,
  slateSize: 1,
  arrivalEvery: 30,
  vectors: 'given',
} as const

/** SYN-S, SYN-M and SYN-L: the same world with 1, 10 or 50 copies of each item. */
export const synWorlds = {
  'syn-s': syn('syn-s', 1),
  'syn-m': syn('syn-m', 10),
  'syn-l': syn('syn-l', 50),
  'new-users': syn('new-users', 1, newUsers),
} as const

const genresSchema = closed(optionalSettings(genresSettings))
const coldContentSchema = closed(optionalSettings(coldContentSettings))

/** Worlds whose items come with vectors that say who likes them. */
export const contentWorlds = {
  'find-the-genre': defineWorld('find-the-genre', genresSchema, (settings, seed) =>
    createGenres({ ...settings, seed }),
  ),
  'cold-content': defineWorld('cold-content', coldContentSchema, (settings, seed) =>
    createColdContent({ ...settings, seed }),
  ),
} as const

/** Settings of the world of a log of interactions. */
const procedure = {
  intervalHours: Type.Optional(positive),
  ...optionalSettings(logByTimeSettings),
}
const procedureSchema = closed(procedure)

const readCached = createLogCache<InteractionLog>()

function play(
  interactions: InteractionLog,
  { intervalHours = 24, ...options }: Static<typeof procedureSchema>,
  seed: number,
): Environment {
  const span = (interactions.times.at(-1) ?? 0) - (interactions.times.at(0) ?? 0)
  if (span < intervalHours * hour) {
    throw invalid(
      `world log: all rows are within one interval of ${intervalHours} hours; ` +
        'set intervalHours, or timeUnit if times are in seconds',
    )
  }
  return createLogByTime(interactions, { ...options, seed, interval: intervalHours * hour })
}

const log = defineWorld(
  'log',
  closed({ ...procedure, file: text, timeUnit: Type.Optional(timeUnit) }),
  async ({ file, timeUnit: unit = 'milliseconds', ...settings }, seed) => {
    const read = () => readCsv(file, { timeUnit: unit })
    return play(await readCached(`${unit} ${file}`, read), settings, seed)
  },
)

export const worlds: Readonly<Record<string, World>> = {
  ...synWorlds,
  ...contentWorlds,
  log,
}

/** @param known Defaults to the worlds of the package. */
export function worldOf(name: unknown, known: typeof worlds = worlds): World {
  if (typeof name === 'string' && Object.hasOwn(known, name)) return known[name]!
  const names = Object.keys(known).join(', ')
  throw new RenError('invalid-argument', `world must be one of ${names}, got ${String(name)}`)
}
