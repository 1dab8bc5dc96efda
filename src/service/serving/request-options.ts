// Chooses the policy of a request, and which seen items its slate excludes.

import { describeValue } from '../../core/describe-value.ts'
import { invalidAt, within } from '../../core/errors.ts'
import { createRandom } from '../../core/random.ts'
import { requireSettings } from '../../core/settings.ts'
import { createPolicy, policyNames } from '../../exploration/index.ts'
import type {
  ExplorationPolicy,
  PolicyName,
  PolicySettings,
  RenOptions,
} from '../../exploration/index.ts'
import { renSettings } from '../../exploration/ren-settings.ts'
import { requireWithin } from '../../exploration/requirements.ts'
import { withOwnMemory, type Engine, type OwnMemory } from '../../kernels/index.ts'
import { areRepeatsRare } from '../../recommender/evidence.ts'
import type { RecommendRequest, UserState } from '../../recommender/index.ts'
import { hasInteractedAmong } from '../../recommender/user-state.ts'
import { entriesInOrder, type CompleteSettings } from '../complete-settings.ts'
import type { ExcludeSeenStatus } from '../schemas/figures.ts'
import type { ExplorationChoice, ServiceRequest } from '../service.ts'
import type { ModelGroup } from '../state/model-groups.ts'

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
function requireLimits(settings: PolicySettings): void {
  for (const [name, value] of Object.entries(settings)) {
    if (typeof value !== 'number' || !Number.isFinite(value)) continue
    requireWithin(`exploration.settings.${name}`, value, -largestWeight, maxInRequest(name))
  }
}

/** The weights that a request may set without a policy. */
const weights = {
  weight: renSettings.explorationWeight,
  exploratoryShare: renSettings.exploratoryShare,
  diversityWeight: { ...renSettings.diversityWeight, maximum: largestWeight },
  uncertaintyWeight: { ...renSettings.uncertaintyWeight, maximum: largestWeight },
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

/**
 * The policy of the variant, possibly with other weights, or one that the request names. Policies use
 * memory of the engine, so a cache retains the last ones that were named and frees the others.
 */
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
    if (policy.name === 'ren') return { policy, exploration: { ...exploration, slate } }
    throw invalidAt('slate', `must be absent for the policy ${policy.name}; only ren supports it`)
  }

  #chosen(own: ExplorationPolicy, choice: ExplorationChoice): ChosenPolicy {
    if ('policy' in choice) return { policy: this.#named(choice.policy, choice.settings) }
    within('exploration', () => requireSettings('exploration', weights, choice))
    if ('weight' in choice) {
      const { weight: explorationWeight, exploratoryShare: share } = choice
      const exploration = { weights: { explorationWeight } }
      if (share === undefined) return { policy: own, exploration }
      const shares = { exploratoryShare: share, coldExploratoryShare: share }
      if (own.name === 'ren') return { policy: own, exploration: { ...exploration, ...shares } }
      const problem = `must be absent for the policy ${own.name}; only ren supports it`
      throw invalidAt('exploration.exploratoryShare', problem)
    }
    // Only REN has two weights.
    return {
      policy: own.name === 'ren' ? own : this.#renPolicy(),
      exploration: { weights: choice },
    }
  }

  #renPolicy(): ExplorationPolicy {
    this.#ren ??= createPolicy(this.#engine, 'ren')
    return this.#ren
  }

  #named(name: string, settings: PolicySettings = {}): ExplorationPolicy {
    if (!policyNames.includes(name as PolicyName)) {
      const known = policyNames.join(', ')
      const problem = `must be one of ${known}, got ${describeValue(name)}`
      throw invalidAt('exploration.policy', problem)
    }
    requireLimits(settings)
    const key = JSON.stringify([name, entriesInOrder(settings)])
    const make = () => this.#make(name as PolicyName, settings)
    const cached = this.#cache.get(key) ?? within('exploration.settings', make)
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

/**
 * Which items a slate excludes: those that the user interacted with (true, or `interacted`), also those
 * that were shown to the user (`shown`), or none (false). `auto` is true if the log shows that users
 * rarely repeat interactions, else false; it never makes a slate shorter.
 */
export type ExcludeSeen = boolean | 'auto' | 'interacted' | 'shown'

interface RequestedExclusion {
  readonly excludeSeen: NonNullable<RecommendRequest['excludeSeen']>
  /** Whether `auto` chose it. If the slate would be too short, seen items then fill it up. */
  readonly isAuto: boolean
}

/**
 * `auto` excludes nothing before 1,000 interactions, with which a rate of 5% has a standard error of
 * 0.7%. A control group of slates excludes nothing, so that the rate is still measured.
 */
const autoExclusion = { minInteractions: 1000, controlShare: 0.02 }

export type SeenExclusion = ReturnType<typeof createSeenExclusion>

/**
 * Decides which seen items a slate excludes (`excludeSeen`). `auto` decides from the log: if users
 * rarely interact with an item again, it excludes the items that the user has interacted with.
 */
export function createSeenExclusion(
  { seed, excludeSeen: mode }: Pick<CompleteSettings, 'seed' | 'excludeSeen'>,
  groups: readonly Pick<ModelGroup, 'recommender'>[],
) {
  const random = createRandom(seed).fork('exclude-seen')

  function autoExcludes(): boolean {
    const { interactions, repeats } = measureRepeats(groups)
    return interactions >= autoExclusion.minInteractions && areRepeatsRare(repeats, interactions)
  }

  const isControl = ({ user, record = true }: ServiceRequest, requestNumber: number): boolean =>
    record && random.fork(user).fork(String(requestNumber)).uniform() < autoExclusion.controlShare

  return {
    get status(): ExcludeSeenStatus {
      const { interactions, repeats } = measureRepeats(groups)
      return {
        mode,
        excludes: mode === 'auto' ? autoExcludes() : mode !== false,
        repeatRate: interactions === 0 ? null : repeats / interactions,
        interactions,
      }
    },
    of(request: ServiceRequest, requestNumber: number): RequestedExclusion {
      const requested: ExcludeSeen = request.excludeSeen ?? mode
      if (requested !== 'auto') return { excludeSeen: requested, isAuto: false }
      const excludeSeen = autoExcludes() && !isControl(request, requestNumber)
      return { excludeSeen, isAuto: true }
    },
  }
}

/** Sums over all groups: whether users repeat depends on the catalog, not on the variant. */
function measureRepeats(groups: readonly Pick<ModelGroup, 'recommender'>[]) {
  let [interactions, repeats] = [0, 0]
  for (const { recommender } of groups) {
    const counted = recommender.state.repeats
    interactions += counted.possibleRepeats
    repeats += counted.repeats
  }
  return { interactions, repeats }
}

/**
 * Whether a slate may contain items that the user has interacted with, so that it shows whether users
 * repeat interactions. False if the caller limits the candidates, or if the filter leaves none of
 * those items. A filter that leaves some, such as by stock, does not matter.
 *
 * @param among The rows that match the filter, in ascending order; undefined without a filter.
 */
export const isSeenAllowed = (
  { exclude, candidates }: Pick<ServiceRequest, 'exclude' | 'candidates'>,
  excludeSeen: RequestedExclusion['excludeSeen'],
  among: Int32Array | undefined,
  user: UserState | undefined,
): boolean =>
  excludeSeen === false &&
  candidates === undefined &&
  (exclude === undefined || exclude.length === 0) &&
  (among === undefined || (user !== undefined && hasInteractedAmong(user, among)))
