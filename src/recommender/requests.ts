// What can be asked of a recommender, and what is refused before anything is looked at.

import type { RenOptions } from '../exploration/index.ts'
import { requireCount, requirePositiveInteger } from '../exploration/requirements.ts'
import { invalid, requireList, requireName, requireObject } from './requirements.ts'

export interface RecommendRequest {
  /** One who was never heard of has an empty history. */
  readonly user: string
  readonly count: number
  /** Names to pick from; the whole catalogue unless set. Removed items are passed over. */
  readonly candidates?: readonly string[]
  readonly exclude?: readonly string[]
  /** Whether to leave out what is in the user's history, by name. */
  readonly excludeSeen?: boolean
  /** Other settings for this one request, where the policy is REN. */
  readonly exploration?: Partial<RenOptions>
  /**
   * Chance depends on the seed, the user and this number alone; unless set, it is how many slates
   * the user was shown. So a question asked twice has one answer, and a slate shown another next.
   */
  readonly requestNumber?: number
}

const explorationKeys = [
  'weights',
  'slate',
  'historyCap',
  'exploratorySlots',
] as const satisfies readonly (keyof RenOptions)[]

/** Refuses a request that breaks its form; whether its items are known shows as they are read. */
export function requireRequest(request: RecommendRequest): void {
  requireObject('request', request)
  const { user, count, candidates, exclude, exploration, requestNumber } = request
  requireName('user', user)
  requirePositiveInteger('count', count)
  if (candidates !== undefined) requireList('candidates', candidates)
  if (exclude !== undefined) requireList('exclude', exclude)
  if (exploration !== undefined) requireExploration(exploration)
  if (requestNumber !== undefined) requireCount('requestNumber', requestNumber)
}

/** Names what it does not know: a weight that stands beside `weights` would change nothing. */
function requireExploration(exploration: Partial<RenOptions>): void {
  requireObject('exploration', exploration)
  const known: readonly string[] = explorationKeys
  const unknown = Object.keys(exploration).filter((key) => !known.includes(key))
  if (unknown.length > 0) {
    throw invalid(
      `exploration: expected ${known.join(', ')}, got ${unknown.join(', ')}; ` +
        'explorationWeight, or diversityWeight and uncertaintyWeight, go into weights',
    )
  }
  if ('weights' in exploration) requireObject('exploration.weights', exploration.weights)
}
