// The versions of each group's weights: saved before they serve, and listed with the mean reward of
// their slates.

import { RenError } from '../../core/errors.ts'
import type { Blend } from '../../relevance/index.ts'
import type { SnapshotInfo } from '../../storage/index.ts'
import type { LearnerStart } from './learner-types.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import { readWhole } from '../state/restore.ts'
import type { RestoredGroup } from '../state/restore.ts'
import type { ModelVersion } from '../schemas/model.ts'
import { areWeightsOf, blendIn, itemsIn, versionIn, weightsSnapshot } from '../state/snapshots.ts'
import type { VersionFacts } from '../state/snapshots.ts'

interface VersionWeights {
  readonly weights: Uint8Array
  readonly blend: Blend | null
}

interface SavedWeights {
  readonly parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>
  /** How many items they have rows of. */
  readonly items: number
  /** What they are served with. Defaults to the blend that serves. */
  readonly blend?: Blend | null
}

/** The versions of a group, the newest first. */
interface Known {
  listed: readonly ListedVersion[]
  /** Those whose weights are there, of any method that the group has had. */
  saved: readonly SnapshotInfo[]
}

type ListedVersion = Omit<ModelVersion, 'live' | 'reward' | 'slates' | 'available'>

/** Maximum of listed versions per group: at one in five seconds there are 17,000 per day. */
const maxListed = 1000

/** Reads which versions are saved, and saves the weights of a group that has none. */
export async function openVersions(start: LearnerStart): Promise<Versions> {
  const versions = new Versions(start)
  for (const group of start.groups) await versions.open(group)
  return versions
}

export class Versions {
  readonly #start: LearnerStart
  readonly #groups = new Map<string, Known>()

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
    // A group begins without items.
    if (!saved.some(isServed)) await this.save(group, facts, { parts: [weights], items: 0 })
  }

  /** The version that the group serves. */
  current(group: ModelGroup): ModelVersion {
    const { listed } = this.#of(group)
    return this.#complete(
      group,
      listed.find(({ version }) => version === group.version)!,
    )
  }

  /** The newest first. */
  list(group: ModelGroup): readonly ModelVersion[] {
    return this.#of(group).listed.map((listed) => this.#complete(group, listed))
  }

  /** A number that no version of the group has had. */
  next(group: ModelGroup): number {
    return this.#of(group).listed[0]!.version + 1
  }

  /** Interactions that the last full training run of the group learned from; null before the first. */
  trainedOn(group: ModelGroup): number | null {
    return this.#of(group).listed[0]!.trainedOn
  }

  /** How many items the weights have rows of that the group would serve after a restart. */
  itemsIn(group: ModelGroup): number {
    const info = this.#savedOf(group, group.version)
    return info === undefined ? 0 : itemsIn(info)
  }

  /** The weights of a version that was saved, and the blend they were served with. */
  async weights(group: ModelGroup, version: number): Promise<VersionWeights> {
    const info = this.#savedOf(group, version)
    if (info === undefined) {
      const message = `group ${group.name} has no weights of a version ${version}`
      throw new RenError('not-found', message)
    }
    return { weights: await readWhole(this.#start.store, info), blend: blendIn(info) }
  }

  /** Saves a version, before it serves: its number is then not given again. */
  async save(
    group: ModelGroup,
    facts: VersionFacts,
    { parts, items, blend = group.recommender.blend?.current ?? null }: SavedWeights,
  ): Promise<void> {
    const { store, settings } = this.#start
    const known = this.#of(group)
    const time = settings.clock()
    const info = await store.writeSnapshot(weightsSnapshot(group, facts, time, items, blend), parts)
    known.listed = [{ ...facts, group: group.name, time }, ...known.listed].slice(0, maxListed)
    const own = known.saved.filter((other) => areWeightsOf(other, group))
    const others = known.saved.filter((other) => !areWeightsOf(other, group))
    const retained = thinOut([info, ...own], settings.snapshots.maxModelVersions, numberIn)
    known.saved = [...retained, ...others]
    await this.#trim(group)
  }

  /** Weights that cannot be dropped now take up room until the next time, and nothing else. */
  async #trim(group: ModelGroup): Promise<void> {
    const ids = this.#of(group).saved.map(({ id }) => id)
    try {
      await this.#start.store.trimSnapshots('weights', group.name, ids, maxListed)
    } catch (error) {
      const message = `old weights of ${group.name} are still there: ${String(error)}`
      const code = error instanceof RenError && { code: error.code }
      this.#start.logMessage({ level: 'warning', message, ...code })
    }
  }

  #of({ name }: ModelGroup): Known {
    return this.#groups.get(name)!
  }

  /** Weights of another method do not fit. */
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

// Which of many versions to retain: the newest, fewer and fewer further back, and the oldest, so that you
// can roll back by a minute, an hour or a week.

/** `values` are in falling order of their numbers; so is what is left of them. */
export function thinOut<T>(
  values: readonly T[],
  most: number,
  numberOf: (value: T) => number,
): readonly T[] {
  const retained = [...values]
  while (retained.length > most) retained.splice(leastMissed(retained.map(numberOf)), 1)
  return retained
}

/** Where the gap that is left would be smallest, for how long ago it is. */
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
