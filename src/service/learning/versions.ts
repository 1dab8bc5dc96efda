// The versions of each group's weights: saves them, lists them with the mean reward of their slates,
// and decides which to retain.

import { RenError } from '../../core/errors.ts'
import type { Blend } from '../../relevance/index.ts'
import type { SnapshotInfo } from '../../storage/index.ts'
import type { LearnerStart } from './learner-types.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import { readWhole, type RestoredGroup } from '../state/restore.ts'
import type { ModelVersion } from '../schemas/model.ts'
import { warnOnFailure } from '../settings.ts'
import { areWeightsOf, blendIn, itemsIn, versionIn, weightsSnapshot } from '../state/snapshots.ts'
import type { VersionFacts } from '../state/snapshots.ts'

interface SavedWeights {
  readonly parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>
  /** The number of items with rows in the weights. */
  readonly items: number
  /** Defaults to the served blend. */
  readonly blend?: Blend | null
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

/** Reads the list of saved versions, and saves the served weights if they are not in it. */
export async function openVersions(start: LearnerStart): Promise<Versions> {
  const versions = new Versions(start)
  for (const group of start.groups) await versions.open(group)
  return versions
}

export class Versions {
  readonly #start: LearnerStart
  readonly #groups = new Map<string, GroupVersions>()

  constructor(start: LearnerStart) {
    this.#start = start
  }

  async open({ group, weights, facts }: RestoredGroup): Promise<void> {
    const saved = await this.#start.store.snapshots('weights', group.name)
    const isServed = (info: SnapshotInfo): boolean => numberIn(info) === facts.version
    this.#groups.set(group.name, {
      listed: saved.filter((info, place) => place < maxListed || isServed(info)).map(listedIn),
      saved: saved.filter((info) => info.readable),
    })
    // The first version of a group has no items.
    if (!saved.some(isServed)) await this.save(group, facts, { parts: [weights], items: 0 })
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
    const info = this.#savedOf(group, group.version)
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

  async save(
    group: ModelGroup,
    facts: VersionFacts,
    { parts, items, blend = group.recommender.blend?.current ?? null }: SavedWeights,
  ): Promise<void> {
    const { store, settings, logMessage } = this.#start
    const known = this.#of(group)
    const time = settings.clock()
    const info = await store.writeSnapshot(weightsSnapshot(group, facts, time, items, blend), parts)
    known.listed = [{ ...facts, group: group.name, time }, ...known.listed].slice(0, maxListed)
    const own = known.saved.filter((other) => areWeightsOf(other, group))
    const others = known.saved.filter((other) => !areWeightsOf(other, group))
    const retained = thinOut([info, ...own], settings.snapshots.maxModelVersions, numberIn)
    known.saved = [...retained, ...others]
    const ids = known.saved.map(({ id }) => id)
    // Weights that cannot be dropped now only occupy space until the next call.
    await warnOnFailure(logMessage, `old weights of ${group.name} were not dropped`, () =>
      store.trimSnapshots('weights', group.name, ids, maxListed),
    )
  }

  #of({ name }: ModelGroup): GroupVersions {
    return this.#groups.get(name)!
  }

  /** The saved weights of a version, if they are of the current method. */
  #savedOf(group: ModelGroup, version: number): SnapshotInfo | undefined {
    const { saved } = this.#of(group)
    return saved.find((info) => numberIn(info) === version && areWeightsOf(info, group))
  }

  #complete(group: ModelGroup, listed: ListedVersion): ModelVersion {
    return {
      ...listed,
      ...this.#start.inService(group.name, listed.version),
      available: this.#savedOf(group, listed.version) !== undefined,
    }
  }
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
