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
  /** Of the state: the log is read after it. */
  readonly position: Position
}

export interface Context {
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
  const { store } = context
  const opening = new GroupOpening(context, plan, state)
  const { sharedParts } = opening
  const restored = { state, sharedParts, position: state?.position ?? 0 }
  const snapshots = await store.snapshots('weights', plan.name)
  for (const info of snapshots) {
    if (!info.readable || !areWeightsOf(info, plan)) continue
    const facts = versionIn(info)
    const openSaved = async () => {
      const weights = await readWhole(store, info)
      return { group: await opening.open(weights, facts.version, blendIn(info)), weights }
    }
    // Other weights do not mend a state that cannot be read.
    const opened = await attempt(context, openSaved, () => !opening.isStateBroken)
    if (opened !== null) return { ...opened, facts, ...restored }
  }
  const weights = firstWeights(context, plan)
  const facts = { ...firstFacts, version: nextVersion(snapshots) }
  return { group: await opening.open(weights, facts.version, null), weights, facts, ...restored }
}

/** Opens a group with its state, until weights are found that fit. */
class GroupOpening {
  /** See `RestoredGroup`. */
  readonly sharedParts: Uint8Array[] = []
  isStateBroken = false
  readonly #context: Context
  readonly #plan: ModelGroupPlan
  readonly #state: SnapshotInfo | null

  constructor(context: Context, plan: ModelGroupPlan, state: SnapshotInfo | null) {
    this.#context = context
    this.#plan = plan
    this.#state = state
  }

  async open(weights: Uint8Array, version: number, blend: Blend | null): Promise<ModelGroup> {
    const { engine, settings } = this.#context
    const serving = servingSettings(settings, blend ?? undefined)
    const own = { ...groupSettings(engine, this.#plan, settings), ...serving }
    this.sharedParts.splice(0)
    const parts = { weights, state: this.#state && this.#readState(this.#state.id) }
    const owner = settings.learning.enabled ? 'shared' : 'given'
    const recommender = await restoreFromParts(engine, parts, own, owner)
    return createGroup(this.#plan, recommender, own, version)
  }

  async *#readState(id: number): AsyncGenerator<Uint8Array> {
    const { store, settings } = this.#context
    this.isStateBroken = true
    for await (const part of store.readSnapshot(id)) {
      yield settings.learning.enabled ? this.#share(part) : part
    }
    this.isStateBroken = false
  }

  #share(part: Uint8Array): Uint8Array {
    const shared = inSharedMemory(part)
    this.sharedParts.push(shared)
    return shared
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
