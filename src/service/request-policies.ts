// Which policy picks for a request: the arm's, with other weights where the request says so, or one
// that it names. Policies have memory in the engine, so each is made once and only so many are.

import { describeValue } from '../core/describe-value.ts'
import { createPolicy, policyNames } from '../exploration/index.ts'
import type {
  ExplorationPolicy,
  PolicyName,
  PolicySettings,
  RenOptions,
} from '../exploration/index.ts'
import type { Engine } from '../kernels/index.ts'
import { invalid, requireObject } from '../recommender/requirements.ts'
import { entriesInOrder } from './entries-in-order.ts'
import { requireKeys } from './require-keys.ts'
import type { ExplorationChoice, ServiceRequest } from './service.ts'

export interface ChosenPolicy {
  readonly policy: ExplorationPolicy
  readonly exploration?: Partial<RenOptions>
}

export type RequestPolicies = (
  own: ExplorationPolicy,
  request: Pick<ServiceRequest, 'exploration' | 'slate'>,
) => ChosenPolicy

/** Policies with settings of their own that requests may name. */
const mostPolicies = 64

export function createRequestPolicies(engine: Engine): RequestPolicies {
  const made = new Map<string, ExplorationPolicy>()

  function named(name: unknown, settings: unknown = {}): ExplorationPolicy {
    if (!policyNames.includes(name as PolicyName)) {
      const known = policyNames.join(', ')
      throw invalid(`exploration.policy must be one of ${known}, got ${describeValue(name)}`)
    }
    requireObject('exploration.settings', settings)
    const entries = entriesInOrder(settings as PolicySettings)
    const key = JSON.stringify([name, entries])
    const known = made.get(key)
    if (known !== undefined) return known
    if (made.size === mostPolicies) {
      throw invalid(
        `exploration: ${mostPolicies} policies were named since the start, no more can be`,
      )
    }
    const policy = createPolicy(engine, name as PolicyName, Object.fromEntries(entries))
    made.set(key, policy)
    return policy
  }

  function weighted(own: ExplorationPolicy, weights: RenOptions['weights']): ChosenPolicy {
    return { policy: own.takesOverrides ? own : named('ren'), exploration: { weights } }
  }

  function chosen(own: ExplorationPolicy, choice: ExplorationChoice | undefined): ChosenPolicy {
    if (choice === undefined) return { policy: own }
    requireObject('exploration', choice)
    if ('policy' in choice) {
      requireKeys('exploration', choice, ['policy', 'settings'])
      return { policy: named(choice.policy, choice.settings) }
    }
    if ('weight' in choice) {
      requireKeys('exploration', choice, ['weight'])
      return weighted(own, { explorationWeight: choice.weight })
    }
    requireKeys('exploration', choice, ['diversityWeight', 'uncertaintyWeight'])
    return weighted(own, { ...choice })
  }

  return (own, { exploration: choice, slate }) => {
    const { policy, exploration } = chosen(own, choice)
    if (slate === undefined) return { policy, ...(exploration && { exploration }) }
    if (policy.takesOverrides) return { policy, exploration: { ...exploration, slate } }
    throw invalid(`slate: the policy ${policy.name} knows one kind of slate, ren has two`)
  }
}
