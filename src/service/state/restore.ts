// Restores the model groups: the newest readable weights of each group, and the newest state that all
// groups have in common. The tailer then reads the log after that state.

import { RenError } from '../../core/errors.ts'
import { inSharedMemory, releaseMemory, allocateForFile } from '../../core/release-memory.ts'
import type { Engine } from '../../kernels/index.ts'
import { createMethod, type WeightUpdate } from '../../recommender/index.ts'
import { restoreFromParts } from '../../recommender/recommender.ts'
import { readUpdate } from '../../recommender/update-file.ts'
import type { Blend } from '../../relevance/index.ts'
import type { EventStore, Position, SnapshotInfo } from '../../storage/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import { createGroup, modelGroupPlans, groupSettings, servingSettings } from './model-groups.ts'
import type { ModelGroup, ModelGroupPlan } from './model-groups.ts'
import { errorMessage, type LogHandler } from '../settings.ts'
import {
  areWeightsOf,
  baseIn,
  blendIn,
  isStateOf,
  isWholeIn,
  versionIn,
  type VersionFacts,
} from './snapshots.ts'

export interface RestoredGroup {
  readonly group: ModelGroup
  readonly weights: Uint8Array
  readonly facts: VersionFacts
  /** The snapshot of the restored state; null without one. */
  readonly state: SnapshotInfo | null
  /**
   * The parts of the snapshot, in memory that the learner thread shares: users without later events
   * are in memory once. Empty if learning is disabled. The consumer empties the list.
   */
  readonly sharedParts: Uint8Array[]
  /** The position of the restored state. */
  readonly position: Position
}

export interface Context {
  readonly engine: Engine
  readonly store: EventStore
  readonly settings: CompleteSettings
  readonly logMessage: LogHandler
}

export async function restoreGroups(context: Context): Promise<readonly RestoredGroup[]> {
  const plans = modelGroupPlans(context.settings)
  for (const states of await commonStates(context, plans)) {
    const restored = await attempt(context, () => restoreAll(context, plans, states))
    if (restored !== null) return restored
  }
  return restoreAll(context, plans, [])
}

/** Sets of snapshots, one per group, with the same position; newest first. */
export async function commonStates(
  { store, settings }: Pick<Context, 'store' | 'settings'>,
  plans: readonly ModelGroupPlan[],
): Promise<readonly (readonly SnapshotInfo[])[]> {
  const head = await store.head()
  const [first = [], ...others] = await Promise.all(
    plans.map(async (plan) => {
      const snapshots = await store.snapshots('state', plan.name)
      return snapshots.filter((one) => {
        return one.readable && one.position <= head && isStateOf(one, plan, settings)
      })
    }),
  )
  const common = first.map((snapshot) => [
    snapshot,
    ...others.flatMap((list) => list.find(({ position }) => position === snapshot.position) ?? []),
  ])
  return common.filter(({ length }) => length === plans.length)
}

async function restoreAll(
  context: Context,
  plans: readonly ModelGroupPlan[],
  states: readonly SnapshotInfo[],
): Promise<readonly RestoredGroup[]> {
  const restored: RestoredGroup[] = []
  for (const [i, plan] of plans.entries()) {
    restored.push(await restoreGroup(context, plan, states[i] ?? null))
  }
  return restored
}

/** Restores the newest readable weights, or creates a new model if there are none. */
async function restoreGroup(
  context: Context,
  plan: ModelGroupPlan,
  state: SnapshotInfo | null,
): Promise<RestoredGroup> {
  const { store } = context
  const opening = createOpening(context, plan, state)
  const { sharedParts } = opening
  const restored = { state, sharedParts, position: state?.position ?? 0 }
  const snapshots = await store.snapshots('weights', plan.name)
  for (const info of snapshots) {
    if (!info.readable || !areWeightsOf(info, plan) || !isWholeIn(info)) continue
    const openSaved = async () => {
      const weights = await readWhole(store, info)
      const group = await opening.open(weights, versionIn(info).version, blendIn(info))
      return { group, weights }
    }
    // If the state cannot be read, other weights do not help.
    const opened = await attempt(context, openSaved, () => !opening.isStateBroken())
    if (opened === null) continue
    const { group, weights } = opened
    const last = await adoptChanges(context, group, snapshots)
    if (last === null) return { group, weights, facts: versionIn(info), ...restored }
    return { group, weights: group.recommender.saveWeights(), facts: versionIn(last), ...restored }
  }
  const weights = firstWeights(context, plan)
  const facts = { ...firstFacts, version: nextVersion(snapshots) }
  return { group: await opening.open(weights, facts.version, null), weights, facts, ...restored }
}

/** Adopts the changes after whole weights, as far as they can be read. Returns the last ones; null without any. */
async function adoptChanges(
  context: Context,
  group: ModelGroup,
  snapshots: readonly SnapshotInfo[],
): Promise<SnapshotInfo | null> {
  let last: SnapshotInfo | null = null
  for (;;) {
    const next = snapshots.find(
      (info) => info.readable && areWeightsOf(info, group) && baseIn(info) === group.version,
    )
    if (next === undefined) return last
    const adopt = async () => {
      group.adopt(await readChanges(context.store, next), versionIn(next).version)
      const blend = blendIn(next)
      if (blend !== null) group.recommender.blend?.set(blend)
      return next
    }
    const adopted: SnapshotInfo | null = await attempt(context, adopt)
    if (adopted === null) return last
    last = adopted
  }
}

export const readChanges = async (store: EventStore, info: SnapshotInfo): Promise<WeightUpdate> =>
  readUpdate(await readWhole(store, info))

/** Opens a group with its state; retried with older weights until some can be read. */
function createOpening(
  { engine, store, settings }: Context,
  plan: ModelGroupPlan,
  state: SnapshotInfo | null,
) {
  const isShared = settings.learning.enabled
  /** See `RestoredGroup`. */
  const sharedParts: Uint8Array[] = []
  let isStateBroken = false

  async function* readState(id: number): AsyncGenerator<Uint8Array> {
    isStateBroken = true
    for await (const part of store.readSnapshot(id)) {
      const readable = isShared ? inSharedMemory(part) : part
      if (isShared) sharedParts.push(readable)
      yield readable
    }
    isStateBroken = false
  }

  return {
    sharedParts,
    isStateBroken: () => isStateBroken,
    async open(weights: Uint8Array, version: number, blend: Blend | null): Promise<ModelGroup> {
      const serving = servingSettings(settings, blend ?? undefined)
      const own = { ...groupSettings(engine, plan, settings), ...serving }
      sharedParts.splice(0)
      const parts = { weights, state: state && readState(state.id) }
      const recommender = await restoreFromParts(engine, parts, own, isShared ? 'shared' : 'given')
      return createGroup(plan, recommender, own, version)
    },
  }
}

const firstFacts = {
  position: 0,
  loss: null,
  heldOut: null,
  origin: 'start',
  quality: null,
  trainedOn: null,
} as const

/** Version numbers are never reused, even if the method of a group changes. */
const nextVersion = (snapshots: readonly SnapshotInfo[]): number =>
  snapshots.reduce((largest, info) => Math.max(largest, versionIn(info).version), -1) + 1

function firstWeights({ engine, settings }: Context, { method, settings: own }: ModelGroupPlan) {
  const { seed } = settings
  return createMethod(engine, method, { itemNames: [], seed, settings: own }).saveWeights()
}

/** Reads a snapshot into one array. */
export async function readWhole(
  store: EventStore,
  { id, bytes }: SnapshotInfo,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const whole = allocateForFile(bytes)
    let at = 0
    for await (const part of store.readSnapshot(id)) {
      whole.set(part, at)
      at += part.length
      releaseMemory(part)
    }
    if (at < bytes) throw new RangeError(`got ${at}`)
    return whole
  } catch (cause) {
    // `set` throws a RangeError if there are more bytes.
    if (!(cause instanceof RangeError)) throw cause
    const message = `snapshot ${id} is damaged: it must have ${bytes} bytes: ${cause.message}`
    throw new RenError('snapshot-damaged', message, { cause })
  }
}

/** Returns null and logs a warning if a snapshot is damaged and another one can help. */
async function attempt<T>(
  { logMessage }: Context,
  restore: () => Promise<T>,
  helps = (): boolean => true,
): Promise<T | null> {
  try {
    return await restore()
  } catch (error) {
    if (!(error instanceof RenError) || !helps()) throw error
    const what = 'a snapshot is skipped in favor of the previous one'
    logMessage(errorMessage('warning', what, error))
    return null
  }
}
