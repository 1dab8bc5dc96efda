// The methods that can run in a world, by name.

import { RenError } from '../core/errors.ts'
import { readSettings } from '../core/settings.ts'
import type { Engine } from '../kernels/index.ts'
import { createMethod, methodOf, methodSettings, requireMethod } from '../recommender/index.ts'
import type { MethodOptions, MethodSettings } from '../recommender/index.ts'
import { withOracle, type Contestant, type Environment } from '../simulation/index.ts'

/** A method besides those of the recommender, such as a baseline. */
export interface OtherMethod {
  /** Refuses settings that `enter` would refuse. */
  check(settings: MethodSettings): void
  enter(engine: Engine, environment: Environment, settings: MethodSettings, seed: number): Match
}

/** Other methods, found by name. */
export interface OtherMethods {
  /** The names, for messages. */
  readonly names: readonly string[]
  find(name: string): OtherMethod | undefined
}

/** A contestant, and the environment that it plays in: that of the oracle shows it the truth. */
interface Match {
  readonly environment: Environment
  readonly contestant: Contestant
}

/** What knows the world. */
const oracle: OtherMethod = {
  check: (settings) => void readSettings('oracle', {}, settings),
  enter(_, world) {
    const { environment, oracle: contestant } = withOracle(world)
    return { environment, contestant }
  },
}

export const noOthers: OtherMethods = { names: [], find: () => undefined }

const otherOf = (method: string, others: OtherMethods): OtherMethod | undefined =>
  method === 'oracle' ? oracle : others.find(method)

/** Refuses a method or settings that `enter` would refuse. */
export function requireContestant(
  method: string,
  settings: MethodSettings,
  others: OtherMethods = noOthers,
): void {
  const other = otherOf(method, others)
  if (other) return other.check(settings)
  const { learns: _, ...rest } = settings
  requireKnown(method, others)
  requireMethod(method, rest)
}

/** The error for an unknown name lists all methods. */
function requireKnown(method: string, { names }: OtherMethods): void {
  try {
    methodOf(method)
  } catch (error) {
    if (!(error instanceof RenError)) throw error
    const message = `${error.message}; or ${['oracle', ...names].join(', ')}`
    throw new RenError(error.code, message, { cause: error })
  }
}

/** The horizon of a method defaults to the steps of the world. */
export function enter(
  engine: Engine,
  environment: Environment,
  method: string,
  settings: MethodSettings,
  seed: number,
  others: OtherMethods = noOthers,
): Match {
  requireContestant(method, settings, others)
  const other = otherOf(method, others)
  if (other) return other.enter(engine, environment, settings, seed)
  const { steps: horizon } = environment
  const hasHorizon = 'horizon' in methodSettings(method).policy
  const all = { ...(hasHorizon && { horizon }), ...settings }
  return enterRecommender(environment, all, seed, (options) =>
    createMethod(engine, method, options),
  )
}

/**
 * With the setting `learns: false`, a recommender does not train after its warm-up. Its dimension defaults to that
 * of the vectors that the world gives.
 */
export function enterRecommender(
  environment: Environment,
  { learns = true, ...settings }: MethodSettings,
  seed: number,
  create: (options: Omit<MethodOptions, 'policy'>) => Contestant,
): Match {
  const { warmUp, vectorDimension: dimension } = environment
  const recommender = create({
    // Items with vectors join by events.
    itemNames: dimension === undefined ? environment.itemNames : [],
    seed,
    settings: { ...(dimension !== undefined && { dimension }), ...settings },
  })
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
