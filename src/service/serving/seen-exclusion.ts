// Decides which seen items a slate excludes (`excludeSeen`). `auto` decides from the log: if users
// rarely interact with an item again, it excludes the items that the user has interacted with.

import { createRandom } from '../../core/random.ts'
import type { RecommendRequest } from '../../recommender/index.ts'
import { areRepeatsRare } from '../../recommender/evidence.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import type { ExcludeSeenStatus } from '../schemas/figures.ts'
import type { ServiceRequest } from '../service.ts'
import type { ModelGroup } from '../state/model-groups.ts'

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
 * `auto` excludes nothing before 1,000 interactions, with which a rate of 5 % has a standard error of
 * 0.7 %. A control group of slates excludes nothing, so that the rate is still measured.
 */
const autoExclusion = { minInteractions: 1000, controlShare: 0.02 }

export type SeenExclusion = ReturnType<typeof createSeenExclusion>

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
 * Whether a slate may contain items that the user has interacted with, so that it tells whether users
 * repeat interactions. False if the caller limits the candidates.
 */
export const isSeenAllowed = (
  { exclude, candidates }: Pick<ServiceRequest, 'exclude' | 'candidates'>,
  excludeSeen: RequestedExclusion['excludeSeen'],
): boolean =>
  excludeSeen === false &&
  candidates === undefined &&
  (exclude === undefined || exclude.length === 0)
