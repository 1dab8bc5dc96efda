// Where a service goes on from: the newest good weights of each group, and the newest state that all
// groups have. The log after it is read by whoever follows it.

import { RenError } from '../../core/errors.ts'
import { inSharedMemory, releaseMemory, roomForFile } from '../../core/release-memory.ts'
import type { Engine } from '../../kernels/index.ts'
import { createMethod } from '../../recommender/index.ts'
import { restoreFromParts } from '../../recommender/recommender.ts'
import type { Blend } from '../../relevance/index.ts'
import type { EventStore, Position, SnapshotInfo } from '../../storage/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import { createGroup, modelGroupPlans, groupSettings, servingSettings } from './model-groups.ts'
import type { ModelGroup, ModelGroupPlan } from './model-groups.ts'
import type { LogMessage } from '../settings.ts'
import { areWeightsOf, blendIn, isStateOf, versionIn } from './snapshots.ts'
import type { VersionFacts } from './snapshots.ts'

export interface RestoredGroup {
  readonly group: ModelGroup
  readonly weights: Uint8Array
  readonly facts: VersionFacts
  /** The snapshot that the state was read from. */
  readonly state: SnapshotInfo | null
  /**
   * Its parts, which the learner thread shares: users without events since then are in memory once.
   * Empty if learning is disabled; whoever takes the parts empties the list.
   */
  readonly sharedParts: Uint8Array[]
  /** Of the state. */
  readonly position: Position
}

interface Context {
  readonly engine: Engine
  readonly store: EventStore
  readonly settings: CompleteSettings
  readonly logMessage: (logMessage: LogMessage) => void
}

export async function restoreGroups(context: Context): Promise<readonly RestoredGroup[]> {
  const plans = modelGroupPlans(context.settings)
  for (const states of await commonStates(context, plans)) {
    const restored = await attempt(context, () => restoreAll(context, plans, states))
    if (restored !== null) return restored
  }
  return restoreAll(context, plans, [])
}

/** One snapshot a group, all of one position: the newest first. */
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

/** With the newest weights that can be read, or as new where there are none. */
async function restoreGroup(
  context: Context,
  plan: ModelGroupPlan,
  state: SnapshotInfo | null,
): Promise<RestoredGroup> {
  const { engine, store, settings } = context
  const position = state?.position ?? 0
  const sharedParts: Uint8Array[] = []
  const share = (part: Uint8Array): Uint8Array => {
    const shared = inSharedMemory(part)
    sharedParts.push(shared)
    return shared
  }
  /** Other weights do not mend a state that cannot be read. */
  let isStateBroken = false
  async function* statePartsOf(id: number): AsyncGenerator<Uint8Array> {
    isStateBroken = true
    yield* store.readSnapshot(id)
    isStateBroken = false
  }
  const open = async (weights: Uint8Array, version: number, blend?: Blend): Promise<ModelGroup> => {
    const own = { ...groupSettings(engine, plan, settings), ...servingSettings(settings, blend) }
    sharedParts.splice(0)
    const parts = state && statePartsOf(state.id)
    const recommender = settings.learning.enabled
      ? await restoreFromParts(
          engine,
          { weights, state: parts && mapped(parts, share) },
          own,
          'shared',
        )
      : await restoreFromParts(engine, { weights, state: parts }, own)
    return createGroup(plan, recommender, own, version)
  }
  const snapshots = await store.snapshots('weights', plan.name)
  for (const info of snapshots) {
    if (!info.readable || !areWeightsOf(info, plan)) continue
    const facts = versionIn(info)
    const restoreWith = async () => {
      const weights = await readWhole(store, info)
      const blend = blendIn(info) ?? undefined
      return { group: await open(weights, facts.version, blend), weights }
    }
    const restored = await attempt(context, restoreWith, () => !isStateBroken)
    if (restored !== null) return { ...restored, facts, state, sharedParts, position }
  }
  const weights = firstWeights(context, plan)
  const version = nextVersion(snapshots)
  const facts = { ...firstFacts, version }
  return { group: await open(weights, version), weights, facts, state, sharedParts, position }
}

const firstFacts = {
  position: 0,
  loss: null,
  heldOut: null,
  origin: 'start',
  quality: null,
  trainedOn: null,
} as const

async function* mapped<T, R>(values: AsyncIterable<T>, change: (value: T) => R) {
  for await (const value of values) yield change(value)
}

/** Numbers of versions are not used twice, even where a method takes the place of another. */
const nextVersion = (snapshots: readonly SnapshotInfo[]): number =>
  snapshots.reduce((largest, info) => Math.max(largest, versionIn(info).version), -1) + 1

function firstWeights({ engine, settings }: Context, { method, settings: own }: ModelGroupPlan) {
  const { seed } = settings
  return createMethod(engine, method, { itemNames: [], seed, settings: own }).saveWeights()
}

export async function readParts(store: EventStore, { id }: SnapshotInfo): Promise<Uint8Array[]> {
  return Array.fromAsync(store.readSnapshot(id))
}

/** All parts as one. */
export async function readWhole(
  store: EventStore,
  { id, bytes }: SnapshotInfo,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const whole = roomForFile(bytes)
    let at = 0
    for await (const part of store.readSnapshot(id)) {
      whole.set(part, at)
      at += part.length
      releaseMemory(part)
    }
    if (at < bytes) throw new RangeError(`it has ${at}`)
    return whole
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    const message = `the snapshot ${id} is damaged: expected ${bytes} bytes: ${cause.message}`
    throw new RenError('snapshot-damaged', message, { cause })
  }
}

/** Logs a damaged or unexpected snapshot, and skips it if another one can serve. */
async function attempt<T>(
  { logMessage }: Context,
  restore: () => Promise<T>,
  helps = (): boolean => true,
): Promise<T | null> {
  try {
    return await restore()
  } catch (error) {
    if (!(error instanceof RenError) || !helps()) throw error
    const message = `a snapshot is passed over for the one before: ${error.message}`
    logMessage({ level: 'warning', message, code: error.code })
    return null
  }
}
