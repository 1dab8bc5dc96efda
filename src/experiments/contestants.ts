// The methods that can run in a world, by name.

import { RenError } from '../core/errors.ts'
import { flag, readSettings, type SettingsSchema } from '../core/settings.ts'
import { baseRenSettings } from '../exploration/base-ren.ts'
import { createSupRenSlates, type SupRenSlates } from '../exploration/index.ts'
import type { Engine } from '../kernels/index.ts'
import { createMethod, methodOf, methodSettings, requireMethod } from '../recommender/index.ts'
import type { MethodOptions, MethodSettings, RenEvent } from '../recommender/index.ts'
import { clickRateUcbSettings, priorSettings } from '../simulation/counters.ts'
import type { Contestant, CounterPrior, CounterRule, Environment } from '../simulation/index.ts'
import {
  betaSampling,
  clickRate,
  clickRateUcb,
  createCounter,
  createHindsight,
  withOracle,
} from '../simulation/index.ts'

/**
 * In `gru4rec+sup-ren` the recommender trains its model as usual, and one SupREN per user picks items by
 * the current embeddings. SupREN is not a policy, because it has state: it remembers each pick and its
 * reason.
 */
const suffix = '+sup-ren'

const isSupRen = (method: string): boolean => method.endsWith(suffix)

/** Its model with a policy without settings, so that only settings of the model and of training remain. */
const modelOf = (method: string): string => `${method.slice(0, -suffix.length)}+greedy`

function createSupRenContestant(
  engine: Engine,
  method: string,
  { settings = {}, ...options }: Omit<MethodOptions, 'policy'>,
): Contestant {
  const { own, rest } = sortSettings(settings)
  const slates = createSupRenSlates(own)
  let currentUser = ''
  const recommender = createMethod(engine, modelOf(method), {
    ...options,
    settings: rest,
    policy: {
      name: 'sup-ren',
      choose: (decision, slateSize) => slates.choose(currentUser, decision, slateSize),
    },
  })
  const { catalog } = recommender.state
  return {
    recommend(request) {
      currentUser = request.user
      return recommender.recommend(request)
    },
    observe(event) {
      recommender.observe(event)
      observeEvent(slates, event, (item) => catalog.row(item))
    },
    fineTune: () => recommender.fineTune(),
  }
}

/** Reports the reward of every item of a slate if known, otherwise of the chosen item. */
function observeEvent(slates: SupRenSlates, event: RenEvent, row: (item: string) => number): void {
  if (event.kind === 'user-erased') slates.forget(event.user!)
  if (event.kind === 'interaction') slates.observe(event.user, row(event.item), event.reward)
  if (event.kind !== 'recommendation') return
  for (const { item, reward } of event.items) {
    if (reward !== undefined) slates.observe(event.user, row(item), reward)
  }
}

/** SupREN's own settings, which are those of BaseREN, and the others. */
function sortSettings({ horizon, delta, scale, ...rest }: MethodSettings) {
  return { own: readSettings('sup-ren', baseRenSettings, { horizon, delta, scale }), rest }
}

interface Match {
  readonly environment: Environment
  readonly contestant: Contestant
}

interface SpecialContestant {
  readonly settings: SettingsSchema
  readonly enter: (environment: Environment, settings: MethodSettings, seed: number) => Match
}

const special: Readonly<Record<string, SpecialContestant>> = {
  oracle: {
    settings: {},
    enter: (world) => {
      const { environment, oracle } = withOracle(world)
      return { environment, contestant: oracle }
    },
  },
  'popular-in-hindsight': {
    settings: {},
    enter: (environment, _, seed) => ({
      environment,
      contestant: createHindsight(environment, seed),
    }),
  },
  'click-rate': counter(clickRate, priorSettings),
  'click-rate-ucb': counter(clickRateUcb, clickRateUcbSettings),
  'beta-ts': counter(betaSampling, priorSettings),
}

function counter(
  rule: (prior: CounterPrior) => CounterRule,
  settings: SettingsSchema,
): SpecialContestant {
  return {
    settings: { ...settings, atOnce: flag('Whether it learns from each event at once', true) },
    enter: (environment, { atOnce = true, ...prior }, seed) => {
      const options = { itemNames: environment.itemNames, seed, rule: rule(prior) }
      return { environment, contestant: createCounter({ ...options, atOnce: atOnce === true }) }
    },
  }
}

/** Refuses a method or settings that `enter` would refuse. */
export function requireContestant(method: string, settings: MethodSettings): void {
  if (Object.hasOwn(special, method)) {
    readSettings(method, special[method]!.settings, settings)
    return
  }
  const { learns: _, ...rest } = settings
  if (isSupRen(method)) requireMethod(modelOf(method), sortSettings(rest).rest)
  else requireOrdinary(method, rest)
}

/** Checks a method of the recommender. The error for an unknown name lists all methods. */
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
 * With the setting `learns: false`, a method does not train after its warm-up. The horizon of a method
 * defaults to the steps of the world, and its dimension to that of the vectors that the world gives.
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
  const { steps: horizon, warmUp, vectorDimension: dimension } = environment
  const create = isSupRen(method) ? createSupRenContestant : createMethod
  const recommender = create(engine, method, {
    // Items with vectors join by events.
    itemNames: dimension === undefined ? environment.itemNames : [],
    seed,
    settings: {
      ...(hasHorizon(method) && { horizon }),
      ...(dimension !== undefined && { dimension }),
      ...rest,
    },
  })
  const contestant =
    learns === true ? recommender : withFineTunes(recommender, warmUp?.fineTunes ?? 0)
  return { environment, contestant }
}

const hasHorizon = (method: string): boolean =>
  isSupRen(method) || 'horizon' in methodSettings(method).policy

/** The recommender with a limited number of fine-tuning runs. */
function withFineTunes(recommender: Contestant, fineTunes: number): Contestant {
  let left = fineTunes
  return {
    recommend: (request) => recommender.recommend(request),
    observe: (event) => recommender.observe(event),
    fineTune() {
      if (left-- > 0) recommender.fineTune()
    },
  }
}
