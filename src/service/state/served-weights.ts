// The weights and blends that the groups serve. In a store that several services share, the log says which: each
// service loads the weights of an event before it applies the event, and serves them from that position on.

import { RenError } from '../../core/errors.ts'
import { updateFrom } from '../../recommender/weight-update.ts'
import type { ServedParts, WeightUpdate } from '../../recommender/index.ts'
import { completeBlend, type Blend } from '../../relevance/index.ts'
import type {
  BlendChangedEvent,
  PublishedWeights,
  SnapshotInfo,
  WeightsPublishedEvent,
} from '../../storage/index.ts'
import type { LearnerStart } from '../learning/learner-types.ts'
import { runInSlices } from '../learning/run-in-slices.ts'
import { openVersions, type Leading, type Versions } from '../learning/versions.ts'
import type { ModelVersion } from '../schemas/model.ts'
import { errorMessage, warnOnFailure } from '../settings.ts'
import type { ModelGroup } from './model-groups.ts'
import { readChanges, readWhole } from './restore.ts'
import {
  areWeightsOf,
  baseIn,
  blendIn,
  isWholeIn,
  versionIn,
  type VersionFacts,
} from './snapshots.ts'

interface ServedWeightsOptions extends Pick<
  LearnerStart,
  'settings' | 'store' | 'groups' | 'logMessage' | 'inService' | 'onHeldOut'
> {
  /** Called when a group serves a new version. */
  readonly onVersion: (version: ModelVersion) => void
  /** Applies an event of this service. Resolves when that is done. */
  readonly deliver: (event: PublishedWeights) => Promise<void>
  /** Aborts work that runs in slices. */
  readonly ended: AbortSignal
}

/** Updates that lead to a version. */
interface Loaded {
  readonly group: string
  readonly updates: readonly WeightUpdate[]
  readonly version: number
}

export async function openServedWeights(options: ServedWeightsOptions): Promise<ServedWeights> {
  return new ServedWeights(options, await openVersions(options))
}

export class ServedWeights {
  readonly versions: Versions
  /** Set while this service is the learner of a shared store. */
  leading: Leading | null = null
  readonly #options: ServedWeightsOptions
  readonly #groups: readonly ModelGroup[]
  /** Loaded weights by the id of their snapshot, until their event is applied. */
  readonly #loaded = new Map<number, Loaded>()
  /** Why a group does not serve the version that the log says. */
  readonly #problems = new Map<string, string>()
  /** The blends that the log says, by group. */
  readonly #logged = new Map<string, { readonly blend: Blend; readonly serves: ServedParts }>()
  #swapMs = 0

  constructor(options: ServedWeightsOptions, versions: Versions) {
    this.#options = options
    this.#groups = options.groups.map(({ group }) => group)
    this.versions = versions
  }

  get problems(): readonly string[] {
    return [...this.#problems.values()]
  }

  /** Whether this service fits blends and chooses what serves. Otherwise the learner does. */
  set decides(value: boolean) {
    for (const group of this.#groups) {
      const { blend } = group.recommender
      if (blend === null) continue
      blend.setDecides(value)
      this.#note(group)
    }
  }

  /**
   * Saves a version and then serves it. The log thus never names a version that a restart does not
   * know. If saving fails, the version does not serve, and its events still count as new.
   *
   * @returns Milliseconds for which the swap of the weights blocked the main thread.
   */
  async publish(
    group: ModelGroup,
    facts: VersionFacts,
    weights: Parameters<Versions['publish']>[3],
  ): Promise<number> {
    const { versions, leading } = this
    const loaded = { group: group.name, updates: [weights.update], version: facts.version }
    if (leading === null) {
      await versions.save(group, facts, weights)
      await this.#serve(group, loaded, weights.blend ?? null, facts)
    } else {
      const published = await versions.publish(leading, group, facts, weights)
      this.#loaded.set(published.event.snapshot.id, loaded)
      await this.#options.deliver(published)
      await versions.trim(group)
    }
    return this.#swapMs
  }

  /** Loads the weights of an event that other services wrote. Call it before the event is applied. */
  async load(event: WeightsPublishedEvent): Promise<void> {
    const info = infoOf(event)
    const group = this.#groups.find(({ name }) => name === event.group)
    if (group === undefined || this.#loaded.has(info.id)) return
    const { version } = versionIn(info)
    const own = this.#loaded.values().filter((one) => one.group === group.name)
    const before = Math.max(group.version, ...own.map((one) => one.version))
    if (version <= before || !areWeightsOf(info, group)) return
    try {
      const isNext = baseIn(info) === before
      const loaded = isNext
        ? { group: group.name, updates: [await readChanges(this.#options.store, info)], version }
        : await this.#loadFromWhole(group, info)
      this.#loaded.set(info.id, loaded)
    } catch (error) {
      // The store may only be unreachable for now.
      if (!isUnusable(error)) throw error
      this.#fail(group, version, error)
    }
  }

  /** Serves what a `weights-published` event says. If it cannot, the old weights serve. */
  apply(event: WeightsPublishedEvent): void {
    const info = infoOf(event)
    const loaded = this.#loaded.get(info.id)
    this.#loaded.delete(info.id)
    const group = this.#groups.find(({ name }) => name === event.group)
    // The log of a store of one service has such events only if it is a copy.
    if (group === undefined || this.#options.store.shared === null) return
    this.versions.add(group, info)
    const facts = versionIn(info)
    const blend = event.snapshot.about['changesBlend'] === true ? blendIn(info) : null
    if (loaded === undefined || loaded.version <= group.version) {
      if (blend !== null) this.#change(group.recommender.blend?.follow(blend, 'blend'))
      return
    }
    try {
      void this.#serve(group, loaded, blend, facts)
      this.#note(group)
      this.#problems.delete(group.name)
    } catch (error) {
      this.#fail(group, facts.version, error)
    }
  }

  /** Serves the blend of an event, unless this service decides itself. */
  applyBlend({ group: name, blend, serves }: BlendChangedEvent): void {
    const group = this.#groups.find((one) => one.name === name)
    const own = group?.recommender.blend
    if (!own || this.leading !== null) return
    const next = completeBlend(blend as unknown as Blend)
    this.#change(own.follow(next, serves as ServedParts))
    this.#note(group)
  }

  /** The events of blends that changed since the log last said so. */
  changedBlends(time: number): readonly BlendChangedEvent[] {
    return this.#groups.flatMap((group) => {
      const { blend } = group.recommender
      const logged = this.#logged.get(group.name)
      const isSame = logged?.blend === blend?.current && logged?.serves === blend?.serves
      if (!blend || isSame) return []
      this.#note(group)
      const { current, serves } = blend
      return [{ kind: 'blend-changed', time, group: group.name, blend: { ...current }, serves }]
    })
  }

  #note(group: ModelGroup): void {
    const { blend } = group.recommender
    if (blend) this.#logged.set(group.name, { blend: blend.current, serves: blend.serves })
  }

  /** Whole weights, and the changes up to a version. If those were dropped, newer whole weights. */
  async #loadFromWhole(group: ModelGroup, info: SnapshotInfo): Promise<Loaded> {
    const { store } = this.#options
    const listed = await store.snapshots('weights', group.name)
    const own = listed.filter((one) => one.readable && areWeightsOf(one, group))
    const upTo = versionIn(info).version
    const chain: SnapshotInfo[] = []
    for (let at: number | null = upTo; at !== null;) {
      const next: SnapshotInfo | undefined = own.find((one) => versionIn(one).version === at)
      if (next === undefined) break
      chain.unshift(next)
      at = baseIn(next)
    }
    const newest = own.find(isWholeIn)
    if (chain[0] && isWholeIn(chain[0])) return this.#loadAll(group, chain)
    if (newest && versionIn(newest).version > upTo) return this.#loadAll(group, [newest])
    throw new RenError('snapshot-damaged', `the weights of version ${upTo} are not in the store`)
  }

  async #loadAll(
    { name, recommender }: ModelGroup,
    chain: readonly SnapshotInfo[],
  ): Promise<Loaded> {
    const { store } = this.#options
    const updates: WeightUpdate[] = []
    for (const info of chain) {
      if (!isWholeIn(info)) updates.push(await readChanges(store, info))
      else {
        const own = recommender.watchWeights().changes()
        const update = updateFrom(await readWhole(store, info), own)
        updates.push({ ...update, ...progressIn(info, own) })
      }
    }
    return { group: name, updates, version: versionIn(chain.at(-1)!).version }
  }

  /** Swaps the weights at once. Resolves when another blend serves completely. */
  #serve(
    group: ModelGroup,
    { updates, version }: Loaded,
    blend: Blend | null,
    { origin, quality }: VersionFacts,
  ): Promise<void> {
    const before = performance.now()
    for (const update of updates) group.adopt(update, version)
    const rest = blend && group.recommender.blend?.change(blend)
    this.#swapMs = performance.now() - before
    this.#options.onVersion(this.versions.current(group))
    if (origin !== 'fine-tuned') this.#options.onHeldOut(group.name, quality)
    return rest ? runInSlices(rest, this.#options.ended) : Promise.resolve()
  }

  #change(rest: Generator<undefined, void> | undefined): void {
    if (rest === undefined) return
    void warnOnFailure(this.#options.logMessage, 'another blend does not serve', () =>
      runInSlices(rest, this.#options.ended),
    )
  }

  #fail(group: ModelGroup, version: number, error: unknown): void {
    const what = `version ${group.version} of ${group.name} still serves, while others serve version ${version}`
    const message = errorMessage('error', what, error)
    this.#problems.set(group.name, message.message)
    this.#options.logMessage(message)
  }
}

const infoOf = ({ group, time, snapshot }: WeightsPublishedEvent): SnapshotInfo => ({
  kind: 'weights',
  scope: group,
  time,
  readable: true,
  ...snapshot,
})

/** Weights from before they were shared do not say their progress: that of the receiver stays. */
function progressIn({ about, position }: SnapshotInfo, own: WeightUpdate) {
  const saved = about['progress'] as
    | { readonly trainedUpToTime: number | null; readonly fineTunes: number }
    | undefined
  if (saved === undefined) return { trainedUpToEvent: own.trainedUpToEvent }
  const { trainedUpToTime, fineTunes } = saved
  return {
    trainedUpToEvent: position,
    trainedUpToTime: trainedUpToTime ?? -Infinity,
    fineTunes,
  }
}

/** Whether weights cannot be served, now or later. */
const isUnusable = (error: unknown): boolean =>
  error instanceof RenError &&
  ['snapshot-damaged', 'invalid-argument', 'file-malformed', 'shape-mismatch'].includes(error.code)
