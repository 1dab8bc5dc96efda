// The protocol `race`: one method runs through all rounds of one world.

import { Type } from 'typebox'

import { errorAt, RenError } from '../core/errors.ts'
import { mean } from '../core/statistics.ts'
import { createTally, rollingMean, run, type Tally } from '../simulation/index.ts'
import { tallied } from '../simulation/metrics.ts'
import { enter, noOthers, requireContestant, type OtherMethods } from './contestants.ts'
import { checkJobs } from './jobs.ts'
import { createRunEngine, type RunJob, type Protocol, type RunRow } from './protocol.ts'
import {
  closed,
  listOf,
  requireShape,
  requireUnique,
  seeds as seedsSchema,
  settings as settingsSchema,
  text,
} from './schema.ts'
import { parseSeeds } from './seeds.ts'
import { worldOf, worlds } from './worlds/index.ts'

const entry = Type.Union(
  [text, closed({ name: text, method: text, settings: Type.Optional(settingsSchema) })],
  { expected: 'the name of a method, or an object of name, method and settings' },
)

/** A race requested as JSON: several methods in one world, over some seeds. */
const schema = closed({
  world: text,
  worldSettings: Type.Optional(settingsSchema),
  methods: listOf(entry),
  /** Defaults to 1..3. */
  seeds: Type.Optional(seedsSchema),
})

/** The measures by which methods are compared. */
const compared = ['finalReward', 'cumulativeRegret']

export type RequestedRace = Awaited<ReturnType<typeof requestedRace>>

/** Refuses what cannot run before the first run. */
export async function requestedRace(value: unknown) {
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
  const shared = { protocol: 'race', panel: kind, world: { ...worldSettings, kind } }
  const jobs = entrants.flatMap(({ name: label, settings: ofMethod = {}, ...entrant }) =>
    seedList.map((seed) => ({ ...shared, ...entrant, label, settings: ofMethod, seed })),
  )
  // The world is valid, so errors concern the methods.
  await checkAt('settings.methods', () => checkJobs(race, jobs))
  // Each method is compared with the first.
  const pairings = names
    .slice(1)
    .flatMap((method) => compared.map((measure) => ({ method, against: names[0]!, measure })))
  return { world: kind, jobs, pairings }
}

/** Runs a check, and prefixes the path of its error. */
async function checkAt<T>(path: string, check: () => T | Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (error) {
    throw error instanceof RenError ? errorAt(path, error) : error
  }
}

/** A remote client must not read files of this machine. */
function requireOwnData(world: string): void {
  if (!worldOf(world).settings.includes('file')) return
  const message = `settings: world: ${world} reads a file; run it with ren simulate`
  throw new RenError('plan-invalid', message)
}

/** What a plan can name: worlds, and methods besides those of the recommender. */
interface Known {
  readonly worlds: typeof worlds
  readonly methods: OtherMethods
}

/** What the package itself has. */
const standard: Known = { worlds, methods: noOthers }

/** The protocol for these worlds and methods. */
export const createRace = (known: Known): Protocol => ({
  async check({ world: { kind, ...settings }, method, settings: ofMethod }) {
    worldOf(kind, known.worlds).check(settings)
    requireContestant(method, ofMethod, known.methods)
  },
  async run(job, progress, threads) {
    const start = performance.now()
    const { steps, rows, tally, close } = await openRace(job, known, threads)
    try {
      for (const { step } of rows) progress(step / steps)
      const milliseconds = Math.round(performance.now() - start)
      const { panel, label: method, seed } = job
      return { panel, method, seed, ...curvesOf(tally), measures: measuresOf(tally), milliseconds }
    } finally {
      close()
    }
  },
})

export const race = createRace(standard)

/** The protocols of the package. A folder of plans can add others (registry.ts). */
export const protocols: Readonly<Record<string, Protocol>> = { race }

/** A race that has not started. Iterating `rows` plays the rounds and fills the tally. */
export type OpenRace = Awaited<ReturnType<typeof openRace>>

export async function openRace(
  job: Pick<RunJob, 'world' | 'method' | 'settings' | 'seed' | 'data'>,
  known: Known = standard,
  threads = 1,
) {
  const { world, method, settings, seed, data } = job
  const engine = await createRunEngine(threads)
  const { kind, ...worldSettings } = world
  const created = await worldOf(kind, known.worlds).create(worldSettings, seed, data)
  const match = enter(engine, created, method, settings, seed, known.methods)
  const { environment, contestant } = match
  const { itemNames, steps, dissimilarity } = environment
  const itemCount = itemNames.length
  const tally = createTally({ itemCount, ...(dissimilarity && { dissimilarity }) })
  const rows = tallied(run(environment, contestant), tally)
  return { steps, rows, tally, close: () => engine.close() }
}

/** A point every 50 steps as in the paper's figures, and at most about 40 of them. */
const pointEvery = 50
const maxPoints = 40

/** The rolling mean of at least 100 rewards, and the cumulative regret, at points along the run. */
export function curvesOf({ rewards, regrets }: Tally): Pick<RunRow, 'at' | 'series'> {
  const steps = rewards.length
  const every = Math.min(
    steps,
    Math.max(pointEvery, Math.ceil(steps / maxPoints / pointEvery) * pointEvery),
  )
  const at = Array.from({ length: Math.floor(steps / every) }, (_, i) => (i + 1) * every)
  return {
    at,
    series: {
      reward: rollingMean(rewards, at, Math.max(2 * pointEvery, 2 * every)),
      regret: at.map((step) => regrets[step - 1]!),
    },
  }
}

/** The steps whose last 100 rewards are measured, if the run is long enough. */
const measuredAt = [500, 900]

/** Over the whole run and parts of it: `first50`, `lastThird`, … */
function measuresOf(tally: Tally): Record<string, number> {
  const { rewards } = tally
  const steps = rewards.length
  const meanOf = (from: number, to: number): number => mean(rewards.slice(from, to))
  const reached = measuredAt.filter((step) => step <= steps)
  return {
    ...tally.metrics(),
    first50: meanOf(0, 50),
    ...Object.fromEntries(reached.map((step) => [`at${step}`, meanOf(step - 100, step)])),
    firstTwelfth: meanOf(0, Math.ceil(steps / 12)),
    lastThird: meanOf(steps - Math.floor(steps / 3), steps),
    lastHalf: meanOf(steps - Math.floor(steps / 2), steps),
  }
}
