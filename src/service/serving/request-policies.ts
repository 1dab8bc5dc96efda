// Which policy picks for a request: the variant's, with other weights where the request says so, or one
// that it names. Policies have memory in the engine, so those that were named last are kept, and the
// memory of the others is given back.

import { describeValue } from '../../core/describe-value.ts'
import { createPolicy, policyNames } from '../../exploration/index.ts'
import type {
  ExplorationPolicy,
  PolicyName,
  PolicySettings,
  RenOptions,
} from '../../exploration/index.ts'
import { requireWithin } from '../../exploration/requirements.ts'
import { withOwnMemory } from '../../kernels/index.ts'
import type { Engine, OwnMemory } from '../../kernels/index.ts'
import { invalid } from '../../core/errors.ts'
import { entriesInOrder } from '../complete-settings.ts'
import type { ExplorationChoice, ServiceRequest } from '../service.ts'

// Limits of the numbers in a request, so that one caller cannot delay others or cause non-finite scores.
// The settings of variants, which the operator chooses, have no such limits.

/** Of weights, scales and boosts, up or down: float32 has room for their products and sums. */
export const largestWeight = 1e6

/** What takes time: twice of what is usual of each. */
const maxOfSetting: Readonly<Record<string, number>> = {
  steps: 100,
  unitPairs: 16,
  propensityDraws: 200,
}

export const maxInRequest = (setting: string): number =>
  Object.hasOwn(maxOfSetting, setting) ? maxOfSetting[setting]! : largestWeight

/** Refuses numbers beyond the limits; what is no finite number is for others to refuse. */
function requireLimits(what: string, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'number' || !Number.isFinite(value)) continue
    requireWithin(`${what}.${name}`, value, -largestWeight, maxInRequest(name))
  }
}

export interface ChosenPolicy {
  readonly policy: ExplorationPolicy
  readonly exploration?: Partial<RenOptions>
}

/** Maximum of cached policies that requests have named; each may use as much memory as the catalog. */
const maxCached = 16

interface CachedPolicy {
  readonly policy: ExplorationPolicy
  readonly memory: OwnMemory
}

export class RequestPolicies {
  readonly #engine: Engine
  /** The one named last stands last. */
  readonly #cache = new Map<string, CachedPolicy>()
  #ren: ExplorationPolicy | null = null

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** @param own The policy of the variant. */
  choose(
    own: ExplorationPolicy,
    { exploration: choice, slate }: Pick<ServiceRequest, 'exploration' | 'slate'>,
  ): ChosenPolicy {
    const chosen = choice === undefined ? { policy: own } : this.#chosen(own, choice)
    if (slate === undefined) return chosen
    const { policy, exploration } = chosen
    if (policy.takesOverrides) return { policy, exploration: { ...exploration, slate } }
    throw invalid(`slate: the policy ${policy.name} knows one kind of slate, ren has two`)
  }

  #chosen(own: ExplorationPolicy, choice: ExplorationChoice): ChosenPolicy {
    if ('policy' in choice) return { policy: this.#named(choice.policy, choice.settings) }
    if ('weight' in choice) {
      const { weight: explorationWeight, exploratoryShare: share } = choice
      const shares = share === undefined ? {} : { exploratoryShare: share }
      return this.#weighted(own, { weights: { explorationWeight }, ...shares })
    }
    requireLimits('exploration', { ...choice })
    return this.#weighted(own, { weights: { ...choice } })
  }

  #weighted(own: ExplorationPolicy, exploration: Partial<RenOptions>): ChosenPolicy {
    if (own.takesOverrides) return { policy: own, exploration }
    this.#ren ??= createPolicy(this.#engine, 'ren')
    return { policy: this.#ren, exploration }
  }

  #named(name: string, settings: PolicySettings = {}): ExplorationPolicy {
    if (!policyNames.includes(name as PolicyName)) {
      const known = policyNames.join(', ')
      throw invalid(`exploration.policy must be one of ${known}, got ${describeValue(name)}`)
    }
    requireLimits('exploration.settings', settings)
    const entries = entriesInOrder(settings)
    const key = JSON.stringify([name, entries])
    const one = this.#cache.get(key) ?? this.#make(name as PolicyName, Object.fromEntries(entries))
    this.#cache.delete(key)
    this.#cache.set(key, one)
    if (this.#cache.size > maxCached) this.#dropOldest()
    return one.policy
  }

  #make(name: PolicyName, settings: PolicySettings): CachedPolicy {
    const memory = withOwnMemory(this.#engine)
    return { policy: createPolicy(memory.engine, name, settings), memory }
  }

  #dropOldest(): void {
    const [key, { memory }] = this.#cache.entries().next().value!
    this.#cache.delete(key)
    memory.release()
  }
}
