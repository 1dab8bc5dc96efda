// Which policy picks for a request: the variant's, with other weights where the request says so, or one
// that it names. Policies have memory in the engine, so those that were named last are kept, and the
// memory of the others is given back.

import { describeValue } from '../core/describe-value.ts'
import { createPolicy, policyNames } from '../exploration/index.ts'
import type {
  ExplorationPolicy,
  PolicyName,
  PolicySettings,
  RenOptions,
} from '../exploration/index.ts'
import { withOwnMemory } from '../kernels/index.ts'
import type { Engine, OwnMemory } from '../kernels/index.ts'
import { invalid, requireObject } from '../recommender/requirements.ts'
import { entriesInOrder } from './entries-in-order.ts'
import { requireKeys } from './require-keys.ts'
import { requireLimits } from './request-limits.ts'
import type { ExplorationChoice, ServiceRequest } from './service.ts'

export interface ChosenPolicy {
  readonly policy: ExplorationPolicy
  readonly exploration?: Partial<RenOptions>
}

export type RequestPolicies = (
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
