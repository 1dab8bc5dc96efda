// A race that a client requests as JSON: methods side by side in a world, over some seeds.

import { Type } from 'typebox'

import { RenError } from '../core/errors.ts'
import { checkJobs } from './jobs.ts'
import { settings, seeds as seedsSchema } from './plan-schema.ts'
import type { RunJob } from './protocol.ts'
import { race } from './race.ts'
import { requireShape } from './require-shape.ts'
import { requireUnique } from './require-unique.ts'
import { closed, listOf, text } from './schema-words.ts'
import { parseSeeds } from './seeds.ts'
import type { Pairing } from './summarise.ts'
import { worldOf } from './worlds/index.ts'

const entry = Type.Union(
  [text, closed({ name: text, method: text, settings: Type.Optional(settings) })],
  { description: 'the name of a method, or an object of name, method and settings' },
)

const schema = closed({
  world: text,
  worldSettings: Type.Optional(settings),
  methods: listOf(entry),
  /** Defaults to 1..3. */
  seeds: Type.Optional(seedsSchema),
})

/** Measures by which methods are set against each other. */
const compared = ['finalReward', 'cumulativeRegret']

export interface RequestedRace {
  readonly world: string
  readonly jobs: readonly RunJob[]
  /** Each method against the first. */
  readonly pairings: readonly Pairing[]
}

/** Refuses what cannot run, before anything has. `data` is the folder of data sets. */
export async function requestedRace(value: unknown, data: string): Promise<RequestedRace> {
  const request = await checkAt('settings', () =>
    requireShape(schema, value, 'settings', 'plan-invalid'),
  )
  const { world: kind, worldSettings = {}, methods, seeds = '1..3' } = request
  await checkAt('settings.world', () => requireOwnData(kind))
  await checkAt('settings.worldSettings', () => worldOf(kind).check(worldSettings))
  const entrants = methods.map((method) =>
    typeof method === 'string' ? { name: method, method } : method,
  )
  const names = entrants.map(({ name }) => name)
  await checkAt('settings.methods', () => requireUnique('methods', names))
  const seedList = await checkAt('settings.seeds', () => parseSeeds(seeds))
  const shared = { protocol: 'race', panel: kind, world: { ...worldSettings, kind }, data }
  const jobs = entrants.flatMap(({ name: label, settings: own = {}, ...entrant }) =>
    seedList.map((seed) => ({ ...shared, ...entrant, label, settings: own, seed })),
  )
  // Only the methods are left to check.
  await checkAt('settings.methods', () => checkJobs(race, jobs))
  const pairings = names
    .slice(1)
    .flatMap((method) => compared.map((measure) => ({ method, against: names[0]!, measure })))
  return { world: kind, jobs, pairings }
}

/** Runs a check, and puts the path of what it checks before the path of its error. */
async function checkAt<T>(path: string, check: () => T | Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof RenError)) throw error
    const { code, message, path: inner } = error
    const whole = inner === undefined ? path : `${path}.${inner}`
    throw new RenError(code, message, { cause: error, path: whole })
  }
}

/** Whoever asks may be far away: no file of this machine is read but the data sets. */
function requireOwnData(world: string): void {
  if (!worldOf(world).settings.includes('file')) return
  throw new RenError(
    'plan-invalid',
    `settings: world: ${world} reads a file; ren simulate plays it`,
  )
}
