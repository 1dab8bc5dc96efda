// The versions of each group's weights: saves them, lists them with the mean reward of their slates,
// and decides which to retain.

import { RenError } from '../../core/errors.ts'
import type { Blend } from '../../relevance/index.ts'
import { writeUpdate } from '../../recommender/update-file.ts'
import type { WeightUpdate } from '../../recommender/index.ts'
import type {
  Lease,
  NewSnapshot,
  PublishedWeights,
  SharedStore,
  SnapshotInfo,
} from '../../storage/index.ts'
import type { LearnerStart } from './learner-types.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import { readWhole, type RestoredGroup } from '../state/restore.ts'
import type { ModelVersion } from '../schemas/model.ts'
import { warnOnFailure } from '../settings.ts'
import {
  areWeightsOf,
  blendIn,
  isWholeIn,
  itemsIn,
  versionIn,
  weightsSnapshot,
} from '../state/snapshots.ts'
import type { VersionFacts } from '../state/snapshots.ts'

interface SavedWeights {
  readonly parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>
  /** The number of items with rows in the weights. */
  readonly items: number
  /** Another blend to serve the weights with. Defaults to the served one. */
  readonly blend?: Blend
}

/** Weights that other services will serve too. */
interface SharedWeights extends SavedWeights {
  /** The changes since the served version; null if only the whole weights may be saved. */
  readonly update: WeightUpdate
}

/** The versions of a group, newest first. */
interface GroupVersions {
  listed: readonly ListedVersion[]
  /** The versions with saved weights, of any method that the group has had. */
  saved: readonly SnapshotInfo[]
}

type ListedVersion = Omit<ModelVersion, 'live' | 'reward' | 'slates' | 'available'>

/** Maximum number of listed versions per group. One in five seconds makes 17,000 per day. */
const maxListed = 1000

/** Changed rows are saved instead of whole weights if they are this many times smaller. */
const minSaving = 4
/** Maximum number of versions, and of milliseconds, between two whole weights. */
const maxBetweenWhole = { versions: 100, milliseconds: 60_000 }

export type VersionsStart = Pick<
  LearnerStart,
  'settings' | 'store' | 'groups' | 'logMessage' | 'inService'
>

/** Reads the list of saved versions. */
export async function openVersions(start: VersionsStart): Promise<Versions> {
  const versions = new Versions(start)
  for (const group of start.groups) await versions.open(group)
  return versions
}

export class Versions {
  readonly #start: VersionsStart
  readonly #groups = new Map<string, GroupVersions>()

  constructor(start: VersionsStart) {
    this.#start = start
  }

  async open({ group, facts }: RestoredGroup): Promise<void> {
    const { store, settings } = this.#start
    const saved = await store.snapshots('weights', group.name)
    const isServed = (info: SnapshotInfo): boolean => numberIn(info) === facts.version
    const listed = saved.filter((info, place) => place < maxListed || isServed(info)).map(listedIn)
    const served = { ...facts, group: group.name, time: settings.clock() }
    this.#groups.set(group.name, {
      listed: saved.some(isServed) ? listed : [served, ...listed],
      saved: saved.filter((info) => info.readable),
    })
  }

  /** Saves the served weights unless they are in the store, as at the first start. */
  async saveServed({ group, weights, facts }: RestoredGroup): Promise<void> {
    const saved = await this.#start.store.snapshots('weights', group.name)
    if (saved.some((info) => numberIn(info) === facts.version)) return
    const known = this.#of(group)
    known.listed = known.listed.filter(({ version }) => version !== facts.version)
    // The first version of a group has no items.
    await this.save(group, facts, { parts: [weights], items: 0 })
  }

  /** The served version. */
  current(group: ModelGroup): ModelVersion {
    const { listed } = this.#of(group)
    return this.#complete(
      group,
      listed.find(({ version }) => version === group.version)!,
    )
  }

  /** Newest first. */
  list(group: ModelGroup): readonly ModelVersion[] {
    return this.#of(group).listed.map((listed) => this.#complete(group, listed))
  }

  /** The next version number, which is never reused. */
  next(group: ModelGroup): number {
    return this.#of(group).listed[0]!.version + 1
  }

  /** The number of interactions in the last full training run of the group; null before the first. */
  trainedOn(group: ModelGroup): number | null {
    return this.#of(group).listed[0]!.trainedOn
  }

  /** The number of items in the weights that a restart would serve. */
  itemsIn(group: ModelGroup): number {
    const { saved } = this.#of(group)
    const info = saved.find((one) => numberIn(one) === group.version && areWeightsOf(one, group))
    return info === undefined ? 0 : itemsIn(info)
  }

  /** Reads the saved weights of a version, its quality, and the blend they were served with. */
  async weights(group: ModelGroup, version: number) {
    const info = this.#savedOf(group, version)
    if (info === undefined) {
      const message = `group ${group.name} has no saved weights of version ${version}`
      throw new RenError('not-found', message)
    }
    const weights = await readWhole(this.#start.store, info)
    return { weights, quality: versionIn(info).quality, blend: blendIn(info) }
  }

  async save(group: ModelGroup, facts: VersionFacts, saved: SavedWeights): Promise<void> {
    const info = await this.#start.store.writeSnapshot(
      this.#describe(group, facts, saved),
      saved.parts,
    )
    this.add(group, info)
    await this.trim(group)
  }

  /** Publishes weights for all services that share the store. They are listed when their event is applied. */
  publish(
    { shared, lease }: Leading,
    group: ModelGroup,
    facts: VersionFacts,
    saved: SharedWeights,
  ): Promise<PublishedWeights> {
    const { update, blend } = saved
    const snapshot = this.#describe(group, facts, saved)
    const changes = writeUpdate(update)
    const isWhole = this.#needsWhole(group, changes.byteLength)
    const { trainedUpToTime, fineTunes } = update
    const about = {
      ...snapshot.about,
      ...(isWhole ? {} : { base: group.version }),
      progress: {
        trainedUpToTime: Number.isFinite(trainedUpToTime) ? trainedUpToTime : null,
        fineTunes,
      },
      changesBlend: blend !== undefined,
    }
    return shared.publish(lease, { ...snapshot, about }, isWhole ? saved.parts : [changes])
  }

  /** Adds a version to the list if it is newer than all listed ones. */
  add(group: ModelGroup, info: SnapshotInfo): void {
    const known = this.#of(group)
    if (numberIn(info) <= (known.listed[0]?.version ?? -1)) return
    known.listed = [listedIn(info), ...known.listed].slice(0, maxListed)
    known.saved = [info, ...known.saved]
  }

  /** Drops the bytes of old weights. Weights that cannot be dropped now only occupy space until the next call. */
  async trim(group: ModelGroup): Promise<void> {
    const { store, settings, logMessage } = this.#start
    const known = this.#of(group)
    const [own, others] = partition(known.saved, (info) => areWeightsOf(info, group))
    const [whole, changes] = partition(own, isWholeIn)
    const retained = thinOut(whole, settings.snapshots.maxModelVersions, numberIn)
    // A service that is a little behind needs the changes since the whole weights before the last ones.
    const [newest, before = newest] = whole
    const from = before === undefined ? -1 : numberIn(before)
    known.saved = [
      ...[...retained, ...changes.filter((info) => numberIn(info) > from)].toSorted(
        (a, b) => numberIn(b) - numberIn(a),
      ),
      ...others,
    ]
    const ids = known.saved.map(({ id }) => id)
    await warnOnFailure(logMessage, `old weights of ${group.name} were not dropped`, () =>
      store.trimSnapshots('weights', group.name, ids, maxListed),
    )
  }

  #describe(group: ModelGroup, facts: VersionFacts, { items, blend }: SavedWeights): NewSnapshot {
    const served = blend ?? group.recommender.blend?.current ?? null
    return weightsSnapshot(group, facts, this.#start.settings.clock(), items, served)
  }

  /** Whether to save whole weights rather than the changes since the last version. */
  #needsWhole(group: ModelGroup, changedBytes: number): boolean {
    const { saved } = this.#of(group)
    const last = saved.find((info) => areWeightsOf(info, group) && isWholeIn(info))
    if (last === undefined || changedBytes * minSaving > last.bytes) return true
    const { versions, milliseconds } = maxBetweenWhole
    const age = this.#start.settings.clock() - last.time
    return group.version + 1 - numberIn(last) >= versions || age >= milliseconds
  }

  #of({ name }: ModelGroup): GroupVersions {
    return this.#groups.get(name)!
  }

  /** The saved weights of a version, if they are of the current method. */
  #savedOf(group: ModelGroup, version: number): SnapshotInfo | undefined {
    const { saved } = this.#of(group)
    return saved.find(
      (info) => numberIn(info) === version && areWeightsOf(info, group) && isWholeIn(info),
    )
  }

  #complete(group: ModelGroup, listed: ListedVersion): ModelVersion {
    return {
      ...listed,
      ...this.#start.inService(group.name, listed.version),
      available: this.#savedOf(group, listed.version) !== undefined,
    }
  }
}

/** What the learner of a shared store has. */
export interface Leading {
  readonly shared: SharedStore
  readonly lease: Lease
}

function partition<T>(values: readonly T[], matches: (value: T) => boolean): [T[], T[]] {
  return [values.filter(matches), values.filter((value) => !matches(value))]
}

const numberIn = (info: SnapshotInfo): number => versionIn(info).version

const listedIn = (info: SnapshotInfo): ListedVersion => ({
  ...versionIn(info),
  group: info.scope,
  time: info.time,
})

/**
 * Selects which versions to retain: the newest, the oldest, and fewer of the others the older they
 * are. A rollback by a minute, an hour or a week is then possible.
 *
 * @param values In descending order of their numbers, which the result keeps.
 */
export function thinOut<T>(
  values: readonly T[],
  max: number,
  numberOf: (value: T) => number,
): readonly T[] {
  const retained = [...values]
  while (retained.length > max) retained.splice(leastMissed(retained.map(numberOf)), 1)
  return retained
}

/** The index whose removal leaves the smallest gap, relative to its age. */
function leastMissed(numbers: readonly number[]): number {
  const newest = numbers[0]!
  let place = numbers.length - 1
  let smallest = Infinity
  for (let i = 1; i < numbers.length - 1; i++) {
    const gap = (numbers[i - 1]! - numbers[i + 1]!) / (newest - numbers[i]!)
    if (gap < smallest) [smallest, place] = [gap, i]
  }
  return place
}
