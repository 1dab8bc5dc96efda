// Checkpoints of full training runs in the store: the newest of a group, for a service that
// restarts in the middle of a run.

import { methodText } from '../state/snapshots.ts'
import type { EventStore, Position, SnapshotInfo } from '../../storage/index.ts'
import type { ModelGroupPlan } from '../state/model-groups.ts'
import { readWhole } from '../state/restore.ts'

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

interface Checkpoints {
  save(group: ModelGroupPlan, facts: RunFacts, epoch: number, bytes: Uint8Array): Promise<void>
  /** The run of a group that was under way, where its checkpoint fits the group's settings. */
  find(group: ModelGroupPlan): Promise<SavedRun | null>
  drop(group: ModelGroupPlan): Promise<void>
}

export function createCheckpoints(
  store: EventStore,
  { seed, clock }: { readonly seed: string; readonly clock: () => number },
): Checkpoints {
  const kind = 'training'
  const textOf = (group: ModelGroupPlan): string => trainingText(group, seed)

  return {
    async save(group, facts, epoch, bytes) {
      const { learntTime, ...numbers } = facts
      // JSON has no −∞.
      const time = Number.isFinite(learntTime) ? learntTime : null
      const about = { ...numbers, learntTime: time, epoch, settings: textOf(group) }
      const { position } = facts
      const snapshot = { kind, scope: group.name, position, time: clock(), about } as const
      await store.writeSnapshot(snapshot, [bytes])
      await store.trimSnapshots(kind, group.name, 1)
    },
    async find(group) {
      const [newest] = await store.snapshots(kind, group.name)
      if (newest?.readable !== true || newest.about['settings'] !== textOf(group)) return null
      const checkpoint = await readWhole(store, newest)
      return { ...runIn(newest), checkpoint }
    },
    drop: (group) => store.trimSnapshots(kind, group.name, 0),
  }
}

/** What a run depends on beside its data: chance differs by seed, so its continuation would. */
export const trainingText = (group: ModelGroupPlan, seed: string): string =>
  JSON.stringify([methodText(group), seed])

function runIn({ about, position }: SnapshotInfo): Omit<SavedRun, 'checkpoint'> {
  const { startedAt, interactions, items, learntTime, epoch } = about as unknown as RunFacts &
    Pick<SavedRun, 'epoch'>
  const facts = { startedAt, interactions, items, position, learntTime: learntTime ?? -Infinity }
  return { facts, epoch }
}
