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
import { invalid, requireObject } from '../../recommender/requirements.ts'
import { entriesInOrder, requireKeys } from '../complete-settings.ts'
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
export function requireLimits(what: string, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'number' || !Number.isFinite(value)) continue
    requireWithin(`${what}.${name}`, value, -largestWeight, maxInRequest(name))
  }
}

export interface ChosenPolicy {
  readonly policy: ExplorationPolicy
  readonly exploration?: Partial<RenOptions>
}

type RequestPolicies = (
  own: ExplorationPolicy,
  request: Pick<ServiceRequest, 'exploration' | 'slate'>,
) => ChosenPolicy

/** Maximum of cached policies that requests have named; each may use as much memory as the catalog. */
const maxCached = 16

interface CachedPolicy {
  readonly policy: ExplorationPolicy
  readonly memory: OwnMemory
}

export function createRequestPolicies(engine: Engine): RequestPolicies {
  /** The one named last stands last. */
  const cache = new Map<string, CachedPolicy>()
  let ren: ExplorationPolicy | null = null

  function named(name: unknown, settings: unknown = {}): ExplorationPolicy {
    if (!policyNames.includes(name as PolicyName)) {
      const known = policyNames.join(', ')
      throw invalid(`exploration.policy must be one of ${known}, got ${describeValue(name)}`)
    }
    requireObject('exploration.settings', settings)
    requireLimits('exploration.settings', settings as PolicySettings)
    const entries = entriesInOrder(settings as PolicySettings)
    const key = JSON.stringify([name, entries])
    const one = cache.get(key) ?? make(name as PolicyName, Object.fromEntries(entries))
    cache.delete(key)
    cache.set(key, one)
    if (cache.size > maxCached) dropOldest()
    return one.policy
  }

  function make(name: PolicyName, settings: PolicySettings): CachedPolicy {
    const memory = withOwnMemory(engine)
    return { policy: createPolicy(memory.engine, name, settings), memory }
  }

  function dropOldest(): void {
    const [key, { memory }] = cache.entries().next().value!
    cache.delete(key)
    memory.release()
  }

  function weighted(own: ExplorationPolicy, exploration: Partial<RenOptions>): ChosenPolicy {
    if (own.takesOverrides) return { policy: own, exploration }
    ren ??= createPolicy(engine, 'ren')
    return { policy: ren, exploration }
  }

  function chosen(own: ExplorationPolicy, choice: ExplorationChoice | undefined): ChosenPolicy {
    if (choice === undefined) return { policy: own }
    requireObject('exploration', choice)
    if ('policy' in choice) {
      requireKeys('exploration', choice, ['policy', 'settings'])
      return { policy: named(choice.policy, choice.settings) }
    }
    if ('weight' in choice) {
      requireKeys('exploration', choice, ['weight', 'exploratoryShare'])
      const { weight: explorationWeight, exploratoryShare: share } = choice
      const shares = share === undefined ? {} : { exploratoryShare: share }
      return weighted(own, { weights: { explorationWeight }, ...shares })
    }
    requireKeys('exploration', choice, ['diversityWeight', 'uncertaintyWeight'])
    requireLimits('exploration', { ...choice })
    return weighted(own, { weights: { ...choice } })
  }

  return (own, { exploration: choice, slate }) => {
    const { policy, exploration } = chosen(own, choice)
    if (slate === undefined) return { policy, ...(exploration && { exploration }) }
    if (policy.takesOverrides) return { policy, exploration: { ...exploration, slate } }
    throw invalid(`slate: the policy ${policy.name} knows one kind of slate, ren has two`)
  }
}
