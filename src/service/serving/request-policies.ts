// Chooses the policy of a request: that of the variant, possibly with other weights, or one that the
// request names. Policies use memory of the engine, so a cache retains the last ones that were named
// and frees the others.

import { describeValue } from '../../core/describe-value.ts'
import { createPolicy, policyNames } from '../../exploration/index.ts'
import type {
  ExplorationPolicy,
  PolicyName,
  PolicySettings,
  RenOptions,
} from '../../exploration/index.ts'
import { requireWithin } from '../../exploration/requirements.ts'
import { withOwnMemory, type Engine, type OwnMemory } from '../../kernels/index.ts'
import { invalid } from '../../core/errors.ts'
import { entriesInOrder } from '../complete-settings.ts'
import type { ExplorationChoice, ServiceRequest } from '../service.ts'

// Limits on the numbers of a request, so that one caller cannot delay others or cause non-finite
// scores. The settings of variants have no such limits: the operator chooses them.

/** The largest absolute weight, scale or boost. Products and sums of them stay finite in float32. */
export const largestWeight = 1e6

/** Limits of settings that cost time: twice their defaults. */
const maxOfSetting: Readonly<Record<string, number>> = {
  steps: 100,
  unitPairs: 16,
  propensityDraws: 200,
}

export const maxInRequest = (setting: string): number =>
  Object.hasOwn(maxOfSetting, setting) ? maxOfSetting[setting]! : largestWeight

/** Refuses finite numbers beyond the limits. The policy refuses other invalid values. */
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

/** Maximum number of cached policies. Each may use as much memory as the catalog. */
const maxCached = 16

interface CachedPolicy {
  readonly policy: ExplorationPolicy
  readonly memory: OwnMemory
}

export class RequestPolicies {
  readonly #engine: Engine
  /** In order of use, the most recent last. */
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
    throw invalid(`slate must be absent for the policy ${policy.name}; only ren supports it`)
  }

  #chosen(own: ExplorationPolicy, choice: ExplorationChoice): ChosenPolicy {
    if ('policy' in choice) return { policy: this.#named(choice.policy, choice.settings) }
    if ('weight' in choice) {
      const { weight: explorationWeight, exploratoryShare: share } = choice
      const shares =
        share === undefined ? {} : { exploratoryShare: share, coldExploratoryShare: share }
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
    const key = JSON.stringify([name, entriesInOrder(settings)])
    const cached = this.#cache.get(key) ?? this.#make(name as PolicyName, settings)
    this.#cache.delete(key)
    this.#cache.set(key, cached)
    if (this.#cache.size > maxCached) this.#evict()
    return cached.policy
  }

  #make(name: PolicyName, settings: PolicySettings): CachedPolicy {
    const memory = withOwnMemory(this.#engine)
    return { policy: createPolicy(memory.engine, name, settings), memory }
  }

  #evict(): void {
    const [key, { memory }] = this.#cache.entries().next().value!
    this.#cache.delete(key)
    memory.release()
  }
}
