// Where a service goes on from: the newest good weights of each group, and the newest state that all
// groups have. The log after it is read by whoever follows it.

import { RenError } from '../core/errors.ts'
import type { Engine } from '../kernels/index.ts'
import { createMethod, restoreFromParts } from '../recommender/index.ts'
import type { EventStore, Position, SnapshotInfo } from '../storage/index.ts'
import type { CompleteSettings } from './complete-settings.ts'
import { createGroup, groupPlans, groupSettings } from './groups.ts'
import type { Group, GroupPlan } from './groups.ts'
import type { Notice } from './settings.ts'
import { areWeightsOf, isStateOf, versionIn } from './snapshots.ts'
import type { VersionFacts } from './snapshots.ts'

export interface RestoredGroup {
  readonly group: Group
  readonly weights: Uint8Array
  readonly facts: VersionFacts
  /** The snapshot that the state was read from. */
  readonly state: SnapshotInfo | null
  /** Of the state. */
  readonly position: Position
}

interface Context {
  readonly engine: Engine
  readonly store: EventStore
  readonly settings: CompleteSettings
  readonly notice: (notice: Notice) => void
}

export async function restoreGroups(context: Context): Promise<readonly RestoredGroup[]> {
  const plans = groupPlans(context.settings)
  for (const states of await commonStates(context, plans)) {
    const restored = await attempt(context, () => restoreAll(context, plans, states))
    if (restored !== null) return restored
  }
  return restoreAll(context, plans, [])
}

/** One snapshot a group, all of one position: the newest first. */
export async function commonStates(
  { store, settings }: Pick<Context, 'store' | 'settings'>,
  plans: readonly GroupPlan[],
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
  plans: readonly GroupPlan[],
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
  plan: GroupPlan,
  state: SnapshotInfo | null,
): Promise<RestoredGroup> {
  const { engine, store, settings } = context
  const position = state?.position ?? 0
  const open = async (weights: Uint8Array, version: number): Promise<Group> => {
    const own = groupSettings(engine, plan, settings)
    const saved = { weights, state: state && store.readSnapshot(state.id) }
    return createGroup(plan, await restoreFromParts(engine, saved, own), own, version)
  }
  const snapshots = await store.snapshots('weights', plan.name)
  for (const info of snapshots) {
    if (!info.readable || !areWeightsOf(info, plan)) continue
    const facts = versionIn(info)
    const restored = await attempt(context, async () => {
      const weights = joined(await readParts(store, info))
      return { group: await open(weights, facts.version), weights }
    })
    if (restored !== null) return { ...restored, facts, state, position }
  }
  const weights = firstWeights(context, plan)
  const version = nextVersion(snapshots)
  const facts = { version, position: 0, loss: null, heldOut: null, origin: 'start' } as const
  return { group: await open(weights, version), weights, facts, state, position }
}

/** Numbers of versions are not used twice, even where a method takes the place of another. */
const nextVersion = (snapshots: readonly SnapshotInfo[]): number =>
  snapshots.reduce((largest, info) => Math.max(largest, versionIn(info).version), -1) + 1

function firstWeights({ engine, settings }: Context, { method, settings: own }: GroupPlan) {
  const { seed } = settings
  return createMethod(engine, method, { itemNames: [], seed, settings: own }).saveWeights()
}

export async function readParts(store: EventStore, { id }: SnapshotInfo): Promise<Uint8Array[]> {
  return Array.fromAsync(store.readSnapshot(id))
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first, ...others] = parts
  return first !== undefined && others.length === 0 ? first : new Uint8Array(Buffer.concat(parts))
}

/** A snapshot that is damaged, or not what it should be, is told of and passed over. */
async function attempt<T>({ notice }: Context, restore: () => Promise<T>): Promise<T | null> {
  try {
    return await restore()
  } catch (error) {
    if (!(error instanceof RenError)) throw error
    const message = `a snapshot is passed over for the one before: ${error.message}`
    notice({ level: 'warning', message, code: error.code })
    return null
  }
}
