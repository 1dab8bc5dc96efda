// What `excludeSeen` leaves out of a slate. `auto` decides from the log: where users hardly ever
// interact with an item again, it leaves out the items that the user has interacted with.

import { describeValue } from '../../core/describe-value.ts'
import { createRandom } from '../../core/random.ts'
import type { RecommendRequest } from '../../recommender/index.ts'
import { areRepeatsRare } from '../../recommender/evidence.ts'
import { invalid } from '../../recommender/requirements.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import type { ExcludeSeenStatus } from '../schemas/figures.ts'
import type { ServiceRequest } from '../service.ts'
import type { ModelGroup } from '../state/model-groups.ts'

/**
 * Which items a slate leaves out: those that the user interacted with (true, or `taken`), also those
 * that were shown to the user (`shown`), or none (false). `auto` chooses true where the log shows that
 * users hardly ever repeat, else false; it never makes a slate shorter.
 */
export type ExcludeSeen = boolean | 'auto' | 'taken' | 'shown'

const known = new Set<unknown>([true, false, 'auto', 'taken', 'shown'])

export function requireExcludeSeen(value: unknown): asserts value is ExcludeSeen {
  if (known.has(value)) return
  throw invalid(
    `excludeSeen must be true, false, auto, taken or shown, got ${describeValue(value)}`,
  )
}

interface RequestedExclusion {
  readonly excludeSeen: NonNullable<RecommendRequest['excludeSeen']>
  /** Whether `auto` chose it: then a slate that would be too short leaves nothing out. */
  readonly isAuto: boolean
}

/** With fewer interactions `auto` excludes nothing; 1,000 give a rate of 5 % a standard error of 0.7 %. */
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

  /** A seeded share of the recorded slates leaves nothing out, so that the rate is still measured. */
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
    /** What a request leaves out, given which of the user's slates it is. */
    of(request: ServiceRequest, requestNumber: number): RequestedExclusion {
      const asked: ExcludeSeen = request.excludeSeen ?? mode
      if (asked !== 'auto') return { excludeSeen: asked, isAuto: false }
      const excludeSeen = autoExcludes() && !isControl(request, requestNumber)
      return { excludeSeen, isAuto: true }
    },
  }
}

/** Over all groups: whether users repeat depends on the catalog, not on the variant. */
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
 * Whether a slate can hold items that the user has interacted with, so that interactions with it show
 * whether users repeat: not where the caller chose the candidates or excluded some.
 */
export const isSeenAllowed = (
  { exclude, candidates }: Pick<ServiceRequest, 'exclude' | 'candidates'>,
  excludeSeen: RequestedExclusion['excludeSeen'],
): boolean =>
  excludeSeen === false &&
  candidates === undefined &&
  (exclude === undefined || exclude.length === 0)
