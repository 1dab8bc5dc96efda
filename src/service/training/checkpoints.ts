// What the store holds of full training runs: the newest checkpoint of a group, for a service that
// restarts in the middle of a run, and how the last run ended.

import type { EventStore, Position, SnapshotInfo } from '../../storage/index.ts'
import type { ModelGroupPlan } from '../state/model-groups.ts'
import { readWhole } from '../state/restore.ts'
import { methodText } from '../state/snapshots.ts'
import type { TrainingStatus } from '../schemas/model.ts'

/** What a run was started with, beside the settings of its group. */
export interface RunFacts {
  readonly startedAt: number
  /** Interactions in the log when it started. */
  readonly interactions: number
  /** Of the catalog: items that came later are no part of the run. */
  readonly items: number
  /** What the weights will have learned from. */
  readonly position: Position
  readonly learntTime: number
}

export interface SavedRun {
  readonly facts: RunFacts
  readonly epoch: number
  readonly checkpoint: Uint8Array
}

export type Checkpoints = ReturnType<typeof createCheckpoints>

export function createCheckpoints(
  store: EventStore,
  { seed, clock }: { readonly seed: string; readonly clock: () => number },
) {
  const kind = 'training'
  const textOf = (group: ModelGroupPlan): string => trainingText(group, seed)

  return {
    async save(
      group: ModelGroupPlan,
      facts: RunFacts,
      epoch: number,
      bytes: Uint8Array,
    ): Promise<void> {
      const { learntTime, ...numbers } = facts
      // JSON has no −∞.
      const time = Number.isFinite(learntTime) ? learntTime : null
      const about = { ...numbers, learntTime: time, epoch, settings: textOf(group) }
      const { position } = facts
      const snapshot = { kind, scope: group.name, position, time: clock(), about } as const
      await store.writeSnapshot(snapshot, [bytes])
      await store.trimSnapshots(kind, group.name, 1)
    },
    /** The run of a group that was under way, where its checkpoint fits the group's settings. */
    async find(group: ModelGroupPlan): Promise<SavedRun | null> {
      const [newest] = await store.snapshots(kind, group.name)
      if (newest?.readable !== true || newest.about['settings'] !== textOf(group)) return null
      const checkpoint = await readWhole(store, newest)
      return { ...runIn(newest), checkpoint }
    },
    drop: (group: ModelGroupPlan): Promise<void> => store.trimSnapshots(kind, group.name, 0),
  }
}

/** What a run depends on beside its data: chance differs by seed, so its continuation would. */
const trainingText = (group: ModelGroupPlan, seed: string): string =>
  JSON.stringify([methodText(group), seed])

function runIn({ about, position }: SnapshotInfo): Omit<SavedRun, 'checkpoint'> {
  const { startedAt, interactions, items, learntTime, epoch } = about as unknown as RunFacts &
    Pick<SavedRun, 'epoch'>
  const facts = { startedAt, interactions, items, position, learntTime: learntTime ?? -Infinity }
  return { facts, epoch }
}

// How the last full training run of a group ended, as a mark in the store: a restart shows it, and does
// not repeat at once a run that was refused, cancelled or failed.

interface Attempt {
  readonly status: TrainingStatus
  /** In the log when the last run started that was not adopted; null where none was. */
  readonly interactions: number | null
}

export type Attempts = ReturnType<typeof createAttempts>

/** What the store refuses is a warning, never an error. */
export function createAttempts(
  store: EventStore,
  seed: string,
  warn: (message: string, error: unknown) => void,
) {
  const markOf = ({ name }: ModelGroupPlan): string => `full-training ${name}`
  return {
    async save(group: ModelGroupPlan, attempt: Attempt): Promise<void> {
      const value = JSON.stringify({ settings: trainingText(group, seed), ...attempt })
      try {
        await store.append([], { name: markOf(group), value })
      } catch (error) {
        warn(`the end of the full training of ${group.name} was not saved: ${String(error)}`, error)
      }
    },
    /** Null where there was none with the settings that the group has now. */
    async find(group: ModelGroupPlan): Promise<Attempt | null> {
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
