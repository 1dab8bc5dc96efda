// The methods that can play in a world, by name.

import { RenError } from '../core/errors.ts'
import { createSupRenSlates, policySettingNames } from '../exploration/index.ts'
import type { SupRenSlates, SupRenSlatesOptions } from '../exploration/index.ts'
import type { Engine } from '../kernels/index.ts'
import { createEngine } from '../kernels/index.ts'
import { createMethod, requireMethod, methodOf } from '../recommender/index.ts'
import type { MethodOptions, MethodSettings, RenEvent } from '../recommender/index.ts'
import type { Contestant, CounterPrior, CounterRule, Environment } from '../simulation/index.ts'
import {
  betaSampling,
  clickRate,
  clickRateUcb,
  createCohorts,
  createCounter,
  createHindsight,
  withOracle,
} from '../simulation/index.ts'

// `gru4rec+sup-ren`: the recommender trains its model as usual, and one SupREN per user picks items by
// the current embeddings. SupREN is not a policy, because it has state: it remembers each pick and its
// reason.

const suffix = '+sup-ren'

export const isSupRen = (method: string): boolean => method.endsWith(suffix)

/** Its model with a policy that has no settings: what remains are the model's own, and learning's. */
const modelOf = (method: string): string => `${method.slice(0, -suffix.length)}+greedy`

/** Refuses a method or settings that `createSupRenContestant` would refuse. */
export function requireSupRen(method: string, settings: MethodSettings): void {
  const { own, rest } = sortSettings(settings)
  requireMethod(modelOf(method), rest)
  createSupRenSlates(own)
}

export function createSupRenContestant(
  engine: Engine,
  method: string,
  { settings = {}, ...options }: Omit<MethodOptions, 'policy'>,
): Contestant {
  const { own, rest } = sortSettings(settings)
  const slates = createSupRenSlates(own)
  let asking = ''
  const recommender = createMethod(engine, modelOf(method), {
    ...options,
    settings: rest,
    policy: {
      name: 'sup-ren',
      choose: (decision, slateSize) => slates.choose(asking, decision, slateSize),
    },
  })
  const { catalog } = recommender.state
  return {
    recommend(request) {
      asking = request.user
      return recommender.recommend(request)
    },
    observe(event) {
      recommender.observe(event)
      tell(slates, event, (item) => catalog.row(item))
    },
    fineTune: () => recommender.fineTune(),
  }
}

/** What a slate was worth, where all of it is known; otherwise, what was taken. */
function tell(slates: SupRenSlates, event: RenEvent, row: (item: string) => number): void {
  if (event.kind === 'user-erased') slates.forget(event.user!)
  if (event.kind === 'interaction') slates.observe(event.user, row(event.item), event.reward)
  if (event.kind !== 'recommendation') return
  for (const { item, reward } of event.items) {
    if (reward !== undefined) slates.observe(event.user, row(item), reward)
  }
}

interface SortedSettings {
  readonly own: SupRenSlatesOptions
  readonly rest: MethodSettings
}

function sortSettings({ horizon = 1000, delta = 0.1, scale = 1, ...rest }: MethodSettings) {
  const own = { horizon, delta, scale }
  const stray = Object.entries(own).find(([, value]) => typeof value !== 'number')
  if (stray === undefined) return { own, rest } as SortedSettings
  throw new RenError('invalid-argument', `${stray[0]} must be a number, got ${String(stray[1])}`)
}

export interface Match {
  readonly environment: Environment
  readonly contestant: Contestant
}

interface SpecialContestant {
  readonly settings: readonly string[]
  readonly enter: (environment: Environment, settings: MethodSettings, seed: number) => Match
}

const special: Readonly<Record<string, SpecialContestant>> = {
  oracle: {
    settings: [],
    enter: (world) => {
      const { environment, oracle } = withOracle(world)
      return { environment, contestant: oracle }
    },
  },
  'popular-in-hindsight': {
    settings: [],
    enter: (environment, _, seed) => ({
      environment,
      contestant: createHindsight(environment, seed),
    }),
  },
  'click-rate': counter(clickRate),
  'click-rate-ucb': counter(clickRateUcb, 'bonusWeight'),
  'beta-ts': counter(betaSampling),
}

function counter(rule: (prior: CounterPrior) => CounterRule, ...more: string[]): SpecialContestant {
  return {
    settings: ['takes', 'misses', 'atOnce', ...more],
    enter: (environment, { atOnce = true, ...prior }, seed) => {
      const options = { itemNames: environment.itemNames, seed, rule: rule(prior) }
      return { environment, contestant: createCounter({ ...options, atOnce: atOnce === true }) }
    },
  }
}

/** Refuses what `enter` would refuse, values of settings too: it enters a world of two items. */
export async function tryContestant(method: string, settings: MethodSettings): Promise<void> {
  requireContestant(method, settings)
  const engine = await createEngine({ kernel: 'reference' })
  try {
    enter(engine, tinyWorld(), method, settings, 0)
  } finally {
    engine.close()
  }
}

function tinyWorld(): Environment {
  const itemNames = ['a', 'b']
  const users = [{ name: 'user', items: ['a'] }]
  return createCohorts({ seed: 0, itemNames, users, cohorts: 1, sweeps: 1, slateSize: 1 })
}

/** Refuses a method or settings that there are not. */
export function requireContestant(method: string, settings: MethodSettings): void {
  if (!Object.hasOwn(special, method)) {
    const { learns: _, ...rest } = settings
    return isSupRen(method) ? requireSupRen(method, rest) : requireOrdinary(method, rest)
  }
  const known = special[method]!.settings
  const unknown = Object.keys(settings).find((key) => !known.includes(key))
  if (unknown === undefined) return
  const has = known.length > 0 ? `it has ${known.join(', ')}` : 'it has none'
  throw new RenError('plan-invalid', `${method} has no setting ${unknown}; ${has}`)
}

/** A method of the recommender. The error for an unknown name lists all methods that can play. */
function requireOrdinary(method: string, settings: MethodSettings): void {
  try {
    methodOf(method)
  } catch (error) {
    if (!(error instanceof RenError)) throw error
    const others = [...Object.keys(special), 'model+sup-ren'].join(', ')
    throw new RenError(error.code, `${error.message}; or ${others}`, { cause: error })
  }
  requireMethod(method, settings)
}

/**
 * `learns: false` among the settings leaves a method as its warm-up made it. The horizon of a
 * method defaults to the steps of the world.
 */
export function enter(
  engine: Engine,
  environment: Environment,
  method: string,
  settings: MethodSettings,
  seed: number,
): Match {
  requireContestant(method, settings)
  if (Object.hasOwn(special, method)) return special[method]!.enter(environment, settings, seed)
  const { learns = true, ...rest } = settings
  const { itemNames, steps: horizon, warmUp } = environment
  const create = isSupRen(method) ? createSupRenContestant : createMethod
  const options = { itemNames, seed, settings: hasHorizon(method) ? { horizon, ...rest } : rest }
  const teachable = create(engine, method, options)
  const contestant = learns === true ? teachable : unteachable(teachable, warmUp?.fineTunes ?? 0)
  return { environment, contestant }
}

const hasHorizon = (method: string): boolean =>
  isSupRen(method) || policySettingNames[methodOf(method).policy].includes('horizon')

/** Learns so many times and then no more. */
function unteachable(recommender: Contestant, fineTunes: number): Contestant {
  let left = fineTunes
  return {
    recommend: (request) => recommender.recommend(request),
    observe: (event) => recommender.observe(event),
    fineTune() {
      if (left-- > 0) recommender.fineTune()
    },
  }
}
