// The methods that can run in a world, by name.

import { RenError } from '../core/errors.ts'
import { flag, readSettings, type SettingsSchema } from '../core/settings.ts'
import type { Engine } from '../kernels/index.ts'
import { createMethod, methodOf, methodSettings, requireMethod } from '../recommender/index.ts'
import type { MethodOptions, MethodSettings } from '../recommender/index.ts'
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
 * A method with a state of its own, which therefore is not a policy. Its name is that of a model, `+`, and a name
 * under which plans know it.
 */
export interface StatefulMethod {
  /** Refuses settings that `create` would refuse. */
  check(model: string, settings: MethodSettings): void
  /** Like `createMethod`; the settings contain the horizon. */
  create(engine: Engine, model: string, options: Omit<MethodOptions, 'policy'>): Contestant
}

export type StatefulMethods = Readonly<Record<string, StatefulMethod>>

/** The method, as the recommender's methods are called; undefined if its name is not among the known ones. */
function statefulOf(method: string, known: StatefulMethods) {
  const [model, name] = method.split('+')
  const found = name !== undefined && Object.hasOwn(known, name) ? known[name] : undefined
  return found && { ...found, model: model! }
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
export function requireContestant(
  method: string,
  settings: MethodSettings,
  known: StatefulMethods = {},
): void {
  if (Object.hasOwn(special, method)) {
    readSettings(method, special[method]!.settings, settings)
    return
  }
  const { learns: _, ...rest } = settings
  const stateful = statefulOf(method, known)
  if (stateful) stateful.check(stateful.model, rest)
  else requireOrdinary(method, rest, known)
}

/** Checks a method of the recommender. The error for an unknown name lists all methods. */
function requireOrdinary(method: string, settings: MethodSettings, known: StatefulMethods): void {
  try {
    methodOf(method)
  } catch (error) {
    if (!(error instanceof RenError)) throw error
    const stateful = Object.keys(known).map((name) => `model+${name}`)
    const others = [...Object.keys(special), ...stateful].join(', ')
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
  known: StatefulMethods = {},
): Match {
  requireContestant(method, settings, known)
  if (Object.hasOwn(special, method)) return special[method]!.enter(environment, settings, seed)
  const { learns = true, ...rest } = settings
  const { steps: horizon, warmUp, vectorDimension: dimension } = environment
  const stateful = statefulOf(method, known)
  const hasHorizon = stateful !== undefined || 'horizon' in methodSettings(method).policy
  const options = {
    // Items with vectors join by events.
    itemNames: dimension === undefined ? environment.itemNames : [],
    seed,
    settings: {
      ...(hasHorizon && { horizon }),
      ...(dimension !== undefined && { dimension }),
      ...rest,
    },
  }
  const recommender = stateful
    ? stateful.create(engine, stateful.model, options)
    : createMethod(engine, method, options)
  const contestant =
    learns === true ? recommender : withFineTunes(recommender, warmUp?.fineTunes ?? 0)
  return { environment, contestant }
}

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
