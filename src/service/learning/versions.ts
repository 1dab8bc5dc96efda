// The versions of each group's weights: saved as they come, and listed with what their slates have
// earned.

import { RenError } from '../../core/errors.ts'
import type { SnapshotInfo } from '../../storage/index.ts'
import type { Group } from '../groups.ts'
import type { ModelVersion } from '../service.ts'
import { versionIn, weightsSnapshot } from '../snapshots.ts'
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

/** Bytes of one part of a snapshot: so much keeps other writes of the store waiting. */
const partBytes = 1 << 20

export async function openVersions(start: TwinStart): Promise<Versions> {
  const { store, settings, earnings, notice } = start
  /** By group, the newest first. */
  const known = new Map<string, Known[]>()

  const snapshots = (group: Group) => store.snapshots('weights', group.name)
  const withEarnings = (version: Known): ModelVersion => ({
    ...version,
    ...earnings(version.group, version.version),
  })

  async function write(group: Group, facts: VersionFacts, time: number, weights: Uint8Array) {
    try {
      await store.writeSnapshot(weightsSnapshot(group, facts, time), inParts(weights))
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
    known.get(group.name)!.unshift({ ...facts, group: group.name, time, available })
  }

  for (const { group, weights } of start.groups) {
    const versions = (await snapshots(group)).map(knownIn)
    known.set(group.name, versions)
    const isKnown = versions.some(({ version }) => version === group.version)
    if (!isKnown) await save(group, firstVersion(group), weights)
  }

  return {
    current(group) {
      const versions = known.get(group.name)!
      return withEarnings(versions.find(({ version }) => version === group.version)!)
    },
    async list(group) {
      const saved = await snapshots(group)
      const there = new Set(saved.filter(({ readable }) => readable).map(numberIn))
      return known
        .get(group.name)!
        .map((one) => withEarnings({ ...one, available: there.has(one.version) }))
    },
    next: (group) => 1 + Math.max(...known.get(group.name)!.map(({ version }) => version)),
    save,
    async weights(group, version) {
      const saved = await snapshots(group)
      const info = saved.find((one) => one.readable && numberIn(one) === version)
      if (info !== undefined) return joined(await Array.fromAsync(store.readSnapshot(info.id)))
      const message = `group ${group.name} has no weights of a version ${version}`
      throw new RenError('not-found', message)
    },
  }
}

const firstVersion = ({ version }: Group): VersionFacts => ({
  version,
  position: 0,
  loss: null,
  heldOut: null,
  origin: 'start',
})

const numberIn = (info: SnapshotInfo): number => versionIn(info).version

const knownIn = (info: SnapshotInfo): Known => ({
  ...versionIn(info),
  group: info.scope,
  time: info.time,
  available: info.readable,
})

function* inParts(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += partBytes) yield bytes.slice(at, at + partBytes)
}
