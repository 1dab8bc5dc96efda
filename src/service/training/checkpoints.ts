// Saves full training runs in the store: the newest checkpoint of each group, to resume the run after
// a restart, and the outcome of its last run.

import type { EventStore, Position, SnapshotInfo } from '../../storage/index.ts'
import type { ModelGroupPlan } from '../state/model-groups.ts'
import { readWhole } from '../state/restore.ts'
import { methodText } from '../state/snapshots.ts'
import type { TrainingStatus } from '../schemas/model.ts'
import { errorMessage, warnOnFailure, type LogHandler } from '../settings.ts'

/** The facts of a run at its start. */
export interface RunFacts {
  readonly startedAt: number
  /** Interactions in the log. */
  readonly interactions: number
  /** Items in the catalog. Later items are not part of the run. */
  readonly items: number
  /** The log position up to which the run learns. */
  readonly position: Position
  /** In slates up to this time, items without feedback have reward 0; −∞ for no slates. */
  readonly trainedUpToTime: number
}

export interface SavedRun {
  readonly facts: RunFacts
  readonly epoch: number
  readonly checkpoint: Uint8Array
}

/** The key of `trainedUpToTime` in saved checkpoints. */
const TIME_KEY = 'learntTime'

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
      const { trainedUpToTime, ...numbers } = facts
      // JSON cannot represent −∞.
      const time = Number.isFinite(trainedUpToTime) ? trainedUpToTime : null
      const about = { ...numbers, [TIME_KEY]: time, epoch, settings: textOf(group) }
      const { position } = facts
      const snapshot = { kind, scope: group.name, position, time: clock(), about } as const
      await store.writeSnapshot(snapshot, [bytes])
      await store.trimSnapshots(kind, group.name, 1)
    },
    /** The interrupted run of a group; null if there is none with the current settings. */
    async find(group: ModelGroupPlan): Promise<SavedRun | null> {
      const [newest] = await store.snapshots(kind, group.name)
      if (newest?.readable !== true || newest.about['settings'] !== textOf(group)) return null
      const checkpoint = await readWhole(store, newest)
      return { ...runIn(newest), checkpoint }
    },
    drop: (group: ModelGroupPlan): Promise<void> => store.trimSnapshots(kind, group.name, 0),
  }
}

/** The settings that a run depends on. The seed is among them, since it determines the batches. */
const trainingText = (group: ModelGroupPlan, seed: string): string =>
  JSON.stringify([methodText(group), seed])

interface SavedFacts extends Omit<RunFacts, 'trainedUpToTime'>, Pick<SavedRun, 'epoch'> {
  readonly [TIME_KEY]: number | null
}

function runIn({ about, position }: SnapshotInfo): Omit<SavedRun, 'checkpoint'> {
  const { startedAt, interactions, items, [TIME_KEY]: time, epoch } = about as unknown as SavedFacts
  const facts = { startedAt, interactions, items, position, trainedUpToTime: time ?? -Infinity }
  return { facts, epoch }
}

interface Attempt {
  readonly status: TrainingStatus
  /** Interactions in the log at the start of the last run that was not adopted; null without one. */
  readonly interactions: number | null
}

export type Attempts = ReturnType<typeof createAttempts>

/**
 * Saves the outcome of the last run of each group as a mark. After a restart, the service shows it,
 * and does not repeat a refused, canceled or failed run at once. Failures of the store are warnings.
 */
export function createAttempts(store: EventStore, seed: string, logMessage: LogHandler) {
  const markOf = ({ name }: ModelGroupPlan): string => `full-training ${name}`
  return {
    save(group: ModelGroupPlan, attempt: Attempt): Promise<void> {
      const value = JSON.stringify({ settings: trainingText(group, seed), ...attempt })
      const what = `the outcome of the run of ${group.name} was not saved`
      const save = () => store.append([], { name: markOf(group), value })
      return warnOnFailure(logMessage, what, save)
    },
    /** Null if there was no run with the current settings. */
    async find(group: ModelGroupPlan): Promise<Attempt | null> {
      try {
        const mark = await store.mark(markOf(group))
        const saved = JSON.parse(mark ?? '{}') as Partial<Attempt & { settings: string }>
        const { settings, status, interactions = null } = saved
        const isOwn = status !== undefined && settings === trainingText(group, seed)
        return isOwn ? { status: withCurrentState(status), interactions } : null
      } catch (error) {
        const what = `the last outcome of ${group.name} cannot be read`
        logMessage(errorMessage('warning', what, error))
        return null
      }
    },
  }
}

/** Old stores have other words for two states. */
const oldStates: Readonly<Record<string, TrainingStatus['state']>> = {
  finished: 'done',
  cancelled: 'canceled',
}

function withCurrentState(status: TrainingStatus): TrainingStatus {
  return { ...status, state: oldStates[status.state] ?? status.state }
}
