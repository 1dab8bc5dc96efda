// The ranking quality of each model group, now and over time, and a warning if it is worse than
// popularity.

import { isDeepStrictEqual } from 'node:util'

import type { JudgedQuality, JudgedScope, ServedParts } from '../../recommender/index.ts'
import { byMethod } from '../../recommender/prequential.ts'
import { isClearlyBelow, minIndependent, minJudged, type Blend } from '../../relevance/index.ts'
import type { Position } from '../../storage/index.ts'
import type { GroupQuality, QualityPoint, QualitySummary } from '../schemas/quality.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import {
  findQuality,
  saveQuality,
  type QualityOptions,
  type SavedQuality,
} from './saved-quality.ts'
import type { ModelVersion } from '../schemas/model.ts'

type Samples = Pick<GroupQuality, 'live' | 'independent' | 'heldOut'>

/**
 * The interactions to compare methods on: independent ones, otherwise all recent ones, or held-out
 * ones while those are few.
 */
function sampleFor({ live, independent, heldOut }: Samples): GroupQuality['judgedOn'] {
  if (independent !== null && independent.served.examples >= minIndependent) return 'independent'
  const isEnough = live !== null && live.served.examples >= minJudged
  return isEnough || heldOut === null ? 'live' : 'held-out'
}

const judgedQuality = ({
  judgedOn,
  ...samples
}: Samples & Pick<GroupQuality, 'judgedOn'>): JudgedQuality | null =>
  judgedOn === 'held-out' ? samples.heldOut : samples[judgedOn]

export function summarizeQuality(quality: GroupQuality): QualitySummary {
  const { group, serves, judgedOn, belowPopularity } = quality
  const judged = judgedQuality(quality)
  if (judged === null) return { group, serves, judgedOn, examples: 0, hr10: null, belowPopularity }
  const { examples } = judged.served
  const hr10 = byMethod((method) => judged[method].hr10)
  return { group, serves, judgedOn, examples, hr10, belowPopularity }
}

interface ServiceQualityOptions extends QualityOptions {
  readonly groups: readonly ModelGroup[]
  readonly position: () => Position
}

const maxPoints = 500
/** As many versions as `Versions` lists. */
const maxVersions = 1000
/** Milliseconds between two points of the history, and between two periodic saves. */
const pointMs = 60_000

/**
 * Restores the saved figures. The replay of the log judges no interactions: the figures include them
 * already, and the weights may have learned from them. After a crash, the interactions of the last
 * minute are missing, which is better than counting some of them twice.
 */
export async function openServiceQuality(options: ServiceQualityOptions): Promise<ServiceQuality> {
  const all: GroupFigures[] = []
  for (const group of options.groups) {
    const saved = group.recommender.blend && (await findQuality(options, group))
    all.push(new GroupFigures(group, saved, options))
  }
  return new ServiceQuality(all)
}

export class ServiceQuality {
  readonly #all: readonly GroupFigures[]
  #timer: NodeJS.Timeout | undefined

  constructor(all: readonly GroupFigures[]) {
    this.#all = all
  }

  report(): readonly GroupQuality[] {
    return this.#all.map((figures) => figures.report())
  }

  get problems(): readonly string[] {
    return this.#all.flatMap((figures) => problemOf(figures.report()))
  }

  /** The figures of a group by name. */
  of(name: string): GroupFigures {
    return this.#all.find(({ group }) => group.name === name)!
  }

  consume(): void {
    for (const figures of this.#all) figures.saveIfOthersServe()
  }

  /** Starts to add points to the history and to save periodically. */
  start(): void {
    this.#timer = setInterval(() => this.#update(), pointMs).unref()
  }

  /** Saves unsaved figures. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#update()
    await Promise.all(this.#all.map((figures) => figures.saved))
  }

  #update(): void {
    for (const figures of this.#all) figures.update()
  }
}

class GroupFigures {
  readonly group: ModelGroup
  /** Resolves when the last save has ended. */
  saved: Promise<void> = Promise.resolve()
  readonly #options: ServiceQualityOptions
  readonly #history: QualityPoint[]
  #heldOut: JudgedQuality | null
  /** The quality of versions that served before, oldest first. */
  readonly #versions: Map<number, JudgedQuality>
  /** The version that interactions are judged for. */
  #version: number
  /** The number of judged interactions at the last point, and at the last save. */
  #judgedAtPoint: number
  #judgedAtSave: number
  #savedServes: ServedParts
  #savedBlend: Blend | null

  constructor(group: ModelGroup, found: SavedQuality | null, options: ServiceQualityOptions) {
    const { blend } = group.recommender
    const { history = [], heldOut = null, judging = null, versions = [] } = found ?? {}
    // A newer version has its own blend.
    if (judging && found!.version === group.version) blend!.set(found!.blend)
    if (judging) blend!.restoreJudging(judging)
    this.group = group
    this.#options = options
    // Stores of earlier versions contain live figures only.
    this.#history = history.map((point) => ({ ...point, judgedOn: point.judgedOn ?? 'live' }))
    this.#heldOut = heldOut
    this.#versions = new Map(versions.map(({ version, live }) => [version, live]))
    this.#version = judging ? found!.version : group.version
    this.#judgedAtPoint = this.#judgedAtSave = judgedBy(group)
    this.#savedServes = servesOf(group)
    this.#savedBlend = blend?.current ?? null
    if (this.#version !== group.version) this.#startVersion()
  }

  report(): GroupQuality {
    const { group } = this
    const independent = liveOf(group, 'independent')
    const samples = { live: liveOf(group), independent, heldOut: this.#heldOut }
    const judgedOn = sampleFor(samples)
    return {
      group: group.name,
      serves: servesOf(group),
      blend: group.recommender.blend?.current ?? null,
      ...samples,
      judgedOn,
      belowPopularity: isBelowPopularity(judgedQuality({ ...samples, judgedOn })),
      history: this.#history,
    }
  }

  /** The quality on interactions that were judged while a version served; null without any. */
  ofVersion(version: number): JudgedQuality | null {
    if (version === this.#version) return liveOf(this.group, 'version')
    return this.#versions.get(version) ?? null
  }

  /** Sets the quality on interactions that a full training run held out; null if it is unknown. */
  setHeldOut(quality: JudgedQuality | null): void {
    if (isDeepStrictEqual(this.#heldOut, quality)) return
    this.#heldOut = quality
    if (quality !== null) this.#push('held-out', quality)
    this.#save()
  }

  versionChanged(origin: ModelVersion['origin']): void {
    if (this.#version === this.group.version) return
    this.#startVersion()
    // Updates come every few seconds. They do not add a point, and are saved with the next one.
    if (origin === 'fine-tuned') return
    this.#addPoint()
    this.#save()
  }

  saveIfOthersServe(): void {
    if (servesOf(this.group) !== this.#savedServes) this.#save()
  }

  update(): void {
    this.#addPoint()
    const isFitted = (this.group.recommender.blend?.current ?? null) !== this.#savedBlend
    if (isFitted || judgedBy(this.group) > this.#judgedAtSave) this.#save()
  }

  #startVersion(): void {
    const live = liveOf(this.group, 'version')
    if (live !== null) this.#versions.set(this.#version, live)
    const [oldest] = this.#versions.keys()
    if (this.#versions.size > maxVersions) this.#versions.delete(oldest!)
    this.#version = this.group.version
    this.group.recommender.blend?.startVersion()
  }

  #addPoint(): void {
    const { version } = this.group
    const live = liveOf(this.group)
    const judged = judgedBy(this.group)
    if (live === null) return
    const last = this.#history.findLast(({ judgedOn }) => judgedOn === 'live')
    if (last?.version === version && judged === this.#judgedAtPoint) return
    this.#judgedAtPoint = judged
    this.#push('live', live)
  }

  #push(judgedOn: QualityPoint['judgedOn'], quality: JudgedQuality): void {
    const { clock, position } = this.#options
    const { version } = this.group
    this.#history.push({ time: clock(), position: position(), version, judgedOn, ...quality })
    if (this.#history.length > maxPoints) this.#history.shift()
  }

  #save(): void {
    const { blend } = this.group.recommender
    const judging = blend?.saveJudging() ?? null
    if (blend === null || judging === null || !this.#options.isLearner()) return
    this.#judgedAtSave = judging.judged
    this.#savedServes = judging.serves
    this.#savedBlend = blend.current
    const now = {
      history: [...this.#history],
      versions: Array.from(this.#versions, ([version, live]) => ({ version, live })),
      heldOut: this.#heldOut,
      judging,
      version: this.#version,
      blend: blend.current,
    }
    const at = this.#options.position()
    this.saved = this.saved.then(() => saveQuality(this.#options, this.group, now, at))
  }
}

const judgedBy = ({ recommender }: ModelGroup): number => recommender.blend?.judged ?? 0
const servesOf = ({ recommender }: ModelGroup): ServedParts => recommender.blend?.serves ?? 'blend'

function liveOf({ recommender }: ModelGroup, scope: JudgedScope = 'recent'): JudgedQuality | null {
  const quality = recommender.blend?.quality(scope) ?? null
  return quality !== null && quality.served.examples > 0 ? quality : null
}

function isBelowPopularity(judged: JudgedQuality | null): boolean | null {
  if (judged === null || judged.served.examples < minJudged) return null
  return isClearlyBelow(judged.served.ndcg10, judged.popularity.ndcg10)
}

function problemOf(quality: GroupQuality): string[] {
  const { group, serves, belowPopularity } = quality
  const judged = judgedQuality(quality)
  if (judged === null || belowPopularity === null) return []
  const [served, popularity] = [judged.served.ndcg10, judged.popularity.ndcg10]
  const figures = `NDCG@10 ${served.toFixed(3)}, popularity ${popularity.toFixed(3)}`
  if (serves !== 'blend')
    return [`${group}: ${serves} serves, since the blend ranks worse (${figures})`]
  return belowPopularity
    ? [`${group}: the served ranking is worse than popularity (${figures})`]
    : []
}
