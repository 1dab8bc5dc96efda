// Who is served by which arm: a hash of the user's name, so that it needs no memory and never
// changes while the arms, their shares and the seed stay.

import { createRandom } from '../core/random.ts'
import type { CompleteArm, CompleteSettings } from './complete-settings.ts'

export interface Split {
  armOf(user: string): CompleteArm
  /** The name of the group that learns from an arm; null where there is no such arm. */
  groupOf(arm: string): string | null
}

/** The one group of all arms where they share a model. */
export const sharedGroup = 'shared'

export function createSplit({
  arms,
  models,
  seed,
}: Pick<CompleteSettings, 'arms' | 'models' | 'seed'>): Split {
  const random = createRandom(seed).fork('arms')
  const total = arms.reduce((sum, { share }) => sum + share, 0)
  // Rounding may leave a sliver above the last threshold: it belongs to the last arm with a share.
  const last = arms.findLast(({ share }) => share > 0)!
  const groups = new Map(
    arms.map(({ name }) => [name, models === 'shared' ? sharedGroup : name] as const),
  )
  return {
    armOf(user) {
      if (arms.length === 1) return last
      let left = random.fork(user).uniform() * total
      for (const arm of arms) {
        left -= arm.share
        if (left < 0) return arm
      }
      return last
    },
    groupOf: (arm) => groups.get(arm) ?? null,
  }
}
