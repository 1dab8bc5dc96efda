// The versions of each group's weights: saved as they come, and listed with what their slates have
// earned.

import { RenError } from '../../core/errors.ts'
import type { SnapshotInfo } from '../../storage/index.ts'
import type { Group } from '../groups.ts'
import { joined, partsOf } from '../restore.ts'
import type { ModelVersion } from '../service.ts'
import { areWeightsOf, versionIn, weightsSnapshot } from '../snapshots.ts'
import type { VersionFacts } from '../snapshots.ts'
import type { TwinGroup, TwinStart } from '../twin.ts'
import { thinOut } from './thin-out.ts'

export interface Versions {
  /** The one that the group serves. */
  current(group: Group): ModelVersion
  /** The newest first. */
  list(group: Group): readonly ModelVersion[]
  /** A number that no version of the group has had. */
  next(group: Group): number
  /** Saves a version. One that cannot be saved is told of; it may serve, and cannot be gone back to. */
  save(group: Group, facts: VersionFacts, weights: Uint8Array): Promise<void>
  /** The weights of a version that was saved. */
  weights(group: Group, version: number): Promise<Uint8Array>
}

/** What is known of a group's versions, the newest first. */
interface Known {
  told: readonly Told[]
  /** Those whose weights are there to go back to. */
  kept: readonly SnapshotInfo[]
}

type Told = Omit<ModelVersion, 'reward' | 'slates' | 'available'>

/** How many of a group are told of: at one in five seconds there are 17,000 a day. */
const mostTold = 1000

export async function openVersions(start: TwinStart): Promise<Versions> {
  const { store, settings, earnings, notice } = start
  const groups = new Map<string, Known>()
  const of = ({ name }: Group): Known => groups.get(name)!
  const keptOf = (group: Group, version: number): SnapshotInfo | undefined =>
    of(group).kept.find((info) => numberIn(info) === version)

  const complete = (group: Group, told: Told): ModelVersion => ({
    ...told,
    ...earnings(group.name, told.version),
    available: keptOf(group, told.version) !== undefined,
  })

  async function save(group: Group, facts: VersionFacts, weights: Uint8Array): Promise<void> {
    const known = of(group)
    const time = settings.clock()
    known.told = [{ ...facts, group: group.name, time }, ...known.told].slice(0, mostTold)
    try {
      const info = await store.writeSnapshot(weightsSnapshot(group, facts, time), [weights])
      known.kept = thinOut([info, ...known.kept], settings.snapshots.keepWeights, numberIn)
      const ids = known.kept.map(({ id }) => id)
      await store.trimSnapshots('weights', group.name, ids)
    } catch (error) {
      const message = `version ${facts.version} of ${group.name} cannot be saved: ${String(error)}`
      notice({ level: 'error', message, ...(error instanceof RenError && { code: error.code }) })
    }
  }

  async function open({ group, weights, facts }: TwinGroup): Promise<void> {
    const saved = await store.snapshots('weights', group.name)
    const isServed = (info: SnapshotInfo): boolean => numberIn(info) === facts.version
    groups.set(group.name, {
      told: saved.filter((info, place) => place < mostTold || isServed(info)).map(toldIn),
      // Weights of another method do not fit.
      kept: saved.filter((info) => info.readable && areWeightsOf(info, group)),
    })
    if (!saved.some(isServed)) await save(group, facts, weights)
  }

  for (const group of start.groups) await open(group)
  return {
    current: (group) =>
      complete(
        group,
        of(group).told.find(({ version }) => version === group.version)!,
      ),
    list: (group) => of(group).told.map((told) => complete(group, told)),
    next: (group) => of(group).told[0]!.version + 1,
    save,
    async weights(group, version) {
      const info = keptOf(group, version)
      if (info !== undefined) return joined(await partsOf(store, info))
      const message = `group ${group.name} has no weights of a version ${version}`
      throw new RenError('not-found', message)
    },
  }
}

const numberIn = (info: SnapshotInfo): number => versionIn(info).version

const toldIn = (info: SnapshotInfo): Told => ({
  ...versionIn(info),
  group: info.scope,
  time: info.time,
})
