// How the last full training run of a group ended, as a mark in the store: a restart shows it, and does
// not repeat at once a run that was refused, cancelled or failed.

import type { EventStore } from '../../storage/index.ts'
import type { ModelGroupPlan } from '../state/model-groups.ts'
import { trainingText } from './checkpoints.ts'
import type { TrainingStatus } from './training-status.ts'

export interface Attempt {
  readonly status: TrainingStatus
  /** In the log when the last run started that was not adopted; null where none was. */
  readonly interactions: number | null
}

/** What the store refuses is a warning, never an error. */
interface Attempts {
  save(group: ModelGroupPlan, attempt: Attempt): Promise<void>
  /** Null where there was none with the settings that the group has now. */
  find(group: ModelGroupPlan): Promise<Attempt | null>
}

export function createAttempts(
  store: EventStore,
  seed: string,
  warn: (message: string, error: unknown) => void,
): Attempts {
  const markOf = ({ name }: ModelGroupPlan): string => `full-training ${name}`
  return {
    async save(group, attempt) {
      const value = JSON.stringify({ settings: trainingText(group, seed), ...attempt })
      try {
        await store.append([], { name: markOf(group), value })
      } catch (error) {
        warn(`the end of the full training of ${group.name} was not saved: ${String(error)}`, error)
      }
    },
    async find(group) {
      try {
        const saved = JSON.parse((await store.mark(markOf(group))) ?? '{}') as Partial<SavedAttempt>
        const { settings, status, interactions = null } = saved
        const isOwn = status !== undefined && settings === trainingText(group, seed)
        return isOwn ? { status, interactions } : null
      } catch (error) {
        warn(`the last full training of ${group.name} cannot be read: ${String(error)}`, error)
        return null
      }
    },
  }
}

interface SavedAttempt extends Attempt {
  readonly settings: string
}
