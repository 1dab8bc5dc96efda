// When a group is due for a full training run: enough is new since the last one, and no import is
// under way.

import type { ModelGroup } from '../model-groups.ts'
import type { FullTrainingSettings } from '../settings.ts'

export interface GroupCounts {
  /** Interactions in the log. */
  readonly interactions: number
  readonly users: number
}

export interface DueRule {
  /**
   * To be called at every look.
   *
   * @param trainedOn Interactions that the last run learned from; 0 before the first.
   */
  isDue(group: string, counts: GroupCounts, trainedOn: number): boolean
}

const minUsers = 20
/** A log that grows by more than this share between two looks is being imported. */
const importGrowth = 0.05

export function createDueRule({ minInteractions, growth }: FullTrainingSettings): DueRule {
  const seen = new Map<string, number>()
  return {
    isDue(group, { interactions, users }, trainedOn) {
      const before = seen.get(group) ?? 0
      seen.set(group, interactions)
      if (interactions < minInteractions || users < minUsers) return false
      if (interactions - before > importGrowth * interactions) return false
      return interactions - trainedOn >= growth * interactions
    },
  }
}

export function countsOf({ recommender: { state } }: Pick<ModelGroup, 'recommender'>): GroupCounts {
  const interactions = state.takes.reduce((sum, count) => sum + count, 0)
  return { interactions, users: state.users.size }
}
