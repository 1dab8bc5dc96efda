// The versions of each group's weights: saved as they come, and listed with what their slates have
// earned.

import { RenError } from '../../core/errors.ts'
import type { SnapshotInfo } from '../../storage/index.ts'
import type { Group } from '../groups.ts'
import { joined, partsOf } from '../restore.ts'
import type { ModelVersion } from '../service.ts'
import { areWeightsOf, versionIn, weightsSnapshot } from '../snapshots.ts'
import type { VersionFacts } from '../snapshots.ts'
import type { TwinStart } from '../twin.ts'

export interface Versions {
  /** The one that the group serves. */
  current(group: Group): ModelVersion
  /** The newest first. */
  list(group: Group): Promise<readonly ModelVersion[]>
  /** A number that no version of the group has had. */
  next(group: Group): number
  /** Saves a version. One that cannot be saved is told of; it may serve, and cannot be gone back to. */
  save(group: Group, facts: VersionFacts, weights: Uint8Array): Promise<void>
  /** The weights of a version that was saved. */
  weights(group: Group, version: number): Promise<Uint8Array>
}

type Known = Omit<ModelVersion, 'reward' | 'slates'>

/** How many of a group are remembered; at one in five seconds there are 17,000 a day. */
const mostKnown = 1000

export async function openVersions(start: TwinStart): Promise<Versions> {
  const { store, settings, earnings, notice } = start
  /** By group, the newest first. */
  const known = new Map<string, Known[]>()

  /** Those that can be gone back to: weights of another method do not fit. */
  async function readable(group: Group): Promise<readonly SnapshotInfo[]> {
    const saved = await store.snapshots('weights', group.name)
    return saved.filter((info) => info.readable && areWeightsOf(info, group))
  }

  const withEarnings = (version: Known): ModelVersion => ({
    ...version,
    ...earnings(version.group, version.version),
  })

  async function write(group: Group, facts: VersionFacts, time: number, weights: Uint8Array) {
    try {
      await store.writeSnapshot(weightsSnapshot(group, facts, time), [weights])
      await store.trimSnapshots('weights', group.name, settings.snapshots.keepWeights)
      return true
    } catch (error) {
      const message = `version ${facts.version} of ${group.name} cannot be saved: ${String(error)}`
      notice({ level: 'error', message, ...(error instanceof RenError && { code: error.code }) })
      return false
    }
  }

  async function save(group: Group, facts: VersionFacts, weights: Uint8Array): Promise<void> {
    const time = settings.clock()
    const available = await write(group, facts, time, weights)
    const versions = known.get(group.name)!
    versions.unshift({ ...facts, group: group.name, time, available })
    versions.length = Math.min(versions.length, mostKnown)
  }

  for (const { group, weights, facts } of start.groups) {
    const versions = (await store.snapshots('weights', group.name)).map(knownIn)
    const served = ({ version }: Known): boolean => version === facts.version
    known.set(
      group.name,
      versions.filter((one, place) => place < mostKnown || served(one)),
    )
    if (!versions.some(served)) await save(group, facts, weights)
  }

  return {
    current(group) {
      const versions = known.get(group.name)!
      return withEarnings(versions.find(({ version }) => version === group.version)!)
    },
    async list(group) {
      const there = new Set((await readable(group)).map(numberIn))
      return known
        .get(group.name)!
        .map((one) => withEarnings({ ...one, available: there.has(one.version) }))
    },
    next: (group) => known.get(group.name)![0]!.version + 1,
    save,
    async weights(group, version) {
      const info = (await readable(group)).find((one) => numberIn(one) === version)
      if (info !== undefined) return joined(await partsOf(store, info))
      const message = `group ${group.name} has no weights of a version ${version}`
      throw new RenError('not-found', message)
    },
  }
}

const numberIn = (info: SnapshotInfo): number => versionIn(info).version

const knownIn = (info: SnapshotInfo): Known => ({
  ...versionIn(info),
  group: info.scope,
  time: info.time,
  available: info.readable,
})
