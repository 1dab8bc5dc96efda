// How well each group ranks what users choose, now and over time, and what is wrong where it ranks
// worse than popularity.

import { isDeepStrictEqual } from 'node:util'

import type {
  JudgedMethod,
  JudgedQuality,
  JudgedScope,
  ServedParts,
} from '../../recommender/index.ts'
import { isClearlyBelow, minJudged } from '../../relevance/index.ts'
import type { Blend } from '../../relevance/index.ts'
import type { EventStore, Position } from '../../storage/index.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import { createQualityStore } from './saved-quality.ts'
import type { ModelVersion } from '../service.ts'
import type { LogMessage } from '../settings.ts'

export interface GroupQuality {
  readonly group: string
  /** What is served: the fitted blend, or a part of it while the blend ranks clearly worse. */
  readonly serves: ServedParts
  /** Null where relevance is the model's alone. */
  readonly blend: Blend | null
  /** Of recent interactions, each ranked before anything learned from it; null before the first. */
  readonly live: JudgedQuality | null
  /** Whether what is served ranks clearly below popularity by `live`; null where that is of too few. */
  readonly belowPopularity: boolean | null
  /**
   * Of interactions that a full training run held out: its new model, or before its end memory and
   * popularity alone, with a model that ranks nothing. Null before the first run.
   */
  readonly heldOut: JudgedQuality | null
  /** The oldest first. */
  readonly history: readonly QualityPoint[]
}

export interface QualityPoint extends JudgedQuality {
  readonly time: number
  readonly position: Position
  readonly version: number
}

/** Quality in short, for a status. */
export interface QualitySummary {
  readonly group: string
  readonly serves: ServedParts
  /** Recent interactions, ranked as they arrived, or those that a full training run held out. */
  readonly judgedOn: 'live' | 'held-out'
  readonly examples: number
  /** HR@10 of what is served and of each part alone; null before the first judged interaction. */
  readonly hr10: Readonly<Record<JudgedMethod, number>> | null
  readonly belowPopularity: boolean | null
}

/** The figures to go by: of recent interactions, or while those are few, of held-out ones. */
function judgedQuality({
  live,
  heldOut,
}: Pick<GroupQuality, 'live' | 'heldOut'>): JudgedQuality | null {
  const isEnough = live !== null && live.served.examples >= minJudged
  return isEnough ? live : (heldOut ?? live)
}

export function summarizeQuality(quality: GroupQuality): QualitySummary {
  const { group, serves, heldOut, belowPopularity } = quality
  const judged = judgedQuality(quality)
  const judgedOn = judged !== null && judged === heldOut ? 'held-out' : 'live'
  if (judged === null) return { group, serves, judgedOn, examples: 0, hr10: null, belowPopularity }
  const { served, model, memory, popularity } = judged
  return {
    group,
    serves,
    judgedOn,
    examples: served.examples,
    hr10: {
      served: served.hr10,
      model: model.hr10,
      memory: memory.hr10,
      popularity: popularity.hr10,
    },
    belowPopularity,
  }
}

export interface ServiceQuality {
  report(): readonly GroupQuality[]
  /** What an operator must know. */
  readonly problems: readonly string[]
  /** A full training run has judged what it will serve. */
  heldOut(group: string, quality: JudgedQuality): void
  /** Another version of a group may serve. */
  versionChanged(version: Pick<ModelVersion, 'group' | 'origin'>): void
  /** Of interactions that were judged while a version served; null where none was. */
  ofVersion(group: string, version: number): JudgedQuality | null
  /** Events were applied. */
  followed(): void
  /** Adds points to the history, and saves, from here on. */
  start(): void
  /** Saves what is new. */
  close(): Promise<void>
}

interface ServiceQualityOptions {
  readonly groups: readonly ModelGroup[]
  readonly store: EventStore
  readonly clock: () => number
  readonly position: () => Position
  readonly logMessage: (logMessage: LogMessage) => void
}

const maxPoints = 500
/** As many as are listed. */
const maxVersions = 1000
/** Between two points, and between two saves where nothing else calls for one. */
const millisecondsPerPoint = 60_000

/** The figures of one group. */
interface Figures {
  readonly group: ModelGroup
  readonly history: QualityPoint[]
  heldOut: JudgedQuality | null
  /** Of versions that served before, the oldest first. */
  readonly versions: Map<number, JudgedQuality>
  /** The one that interactions are judged for. */
  version: number
  /** Interactions that were judged before the last point, and before the last save. */
  judgedAtPoint: number
  judgedAtSave: number
  savedServes: ServedParts
  savedBlend: Blend | null
}

/**
 * Restores what was saved. The replay of the log judges nothing: the figures have its interactions
 * already, and the weights may have learned from them. Those of the last minute before a crash are in
 * no figures, which is better than to count some of them twice.
 */
export async function openServiceQuality(options: ServiceQualityOptions): Promise<ServiceQuality> {
  const { groups, store, clock, position } = options
  const saves = createQualityStore(store, options)
  const all: Figures[] = []
  let saving: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  const figuresOf = (name: string): Figures => all.find(({ group }) => group.name === name)!

  async function restore(group: ModelGroup): Promise<Figures> {
    const { blend } = group.recommender
    const saved = blend && (await saves.find(group))
    const { history = [], heldOut = null, judging = null, versions = [] } = saved ?? {}
    // A version that has come since has weights of its own.
    if (judging && saved!.version === group.version) blend!.set(saved!.blend)
    if (judging) blend!.restoreJudging(judging)
    const judged = judgedBy(group)
    const figures = {
      group,
      history: [...history],
      heldOut,
      versions: new Map(versions.map(({ version, live }) => [version, live])),
      version: judging ? saved!.version : group.version,
      judgedAtPoint: judged,
      judgedAtSave: judged,
      savedServes: servesOf(group),
      savedBlend: blend?.current ?? null,
    }
    if (figures.version !== group.version) startVersion(figures)
    return figures
  }

  function startVersion(figures: Figures): void {
    const { group, versions, version } = figures
    const live = liveOf(group, 'version')
    if (live !== null) versions.set(version, live)
    const [oldest] = versions.keys()
    if (versions.size > maxVersions) versions.delete(oldest!)
    figures.version = group.version
    group.recommender.blend?.startVersion()
  }

  function save(figures: Figures): void {
    const { group, history, heldOut, version } = figures
    const { blend } = group.recommender
    const judging = blend?.saveJudging() ?? null
    if (blend === null || judging === null) return
    figures.judgedAtSave = judging.judged
    figures.savedServes = judging.serves
    figures.savedBlend = blend.current
    const versions = Array.from(figures.versions, ([number, live]) => ({ version: number, live }))
    const now = { history: [...history], versions, heldOut, judging, version, blend: blend.current }
    const at = position()
    saving = saving.then(() => saves.save(group, now, at))
  }

  function addPoint(figures: Figures): void {
    const { group, history } = figures
    const { version } = group
    const live = liveOf(group)
    const judged = judgedBy(group)
    if (live === null) return
    if (history.at(-1)?.version === version && judged === figures.judgedAtPoint) return
    figures.judgedAtPoint = judged
    history.push({ time: clock(), position: position(), version, ...live })
    if (history.length > maxPoints) history.shift()
  }

  function update(): void {
    for (const figures of all) {
      addPoint(figures)
      const { group, judgedAtSave, savedBlend } = figures
      const isFitted = (group.recommender.blend?.current ?? null) !== savedBlend
      if (isFitted || judgedBy(group) > judgedAtSave) save(figures)
    }
  }

  for (const group of groups) all.push(await restore(group))

  return {
    report: () =>
      all.map(({ group, heldOut, history }) => {
        const live = liveOf(group)
        return {
          group: group.name,
          serves: servesOf(group),
          blend: group.recommender.blend?.current ?? null,
          live,
          belowPopularity: isBelowPopularity(live),
          heldOut,
          history,
        }
      }),
    get problems() {
      return groups.flatMap(problemOf)
    },
    heldOut(name, quality) {
      const figures = figuresOf(name)
      if (isDeepStrictEqual(figures.heldOut, quality)) return
      figures.heldOut = quality
      save(figures)
    },
    versionChanged({ group, origin }) {
      const figures = figuresOf(group)
      if (figures.version === figures.group.version) return
      startVersion(figures)
      // Updates come every few seconds: they get no point of their own, and are saved with the next.
      if (origin === 'learnt') return
      addPoint(figures)
      save(figures)
    },
    ofVersion(name, version) {
      const { group, version: current, versions } = figuresOf(name)
      return version === current ? liveOf(group, 'version') : (versions.get(version) ?? null)
    },
    followed() {
      for (const figures of all) if (servesOf(figures.group) !== figures.savedServes) save(figures)
    },
    start() {
      timer = setInterval(update, millisecondsPerPoint).unref()
    },
    async close() {
      clearInterval(timer)
      update()
      await saving
    },
  }
}

const judgedBy = ({ recommender }: ModelGroup): number => recommender.blend?.judged ?? 0
const servesOf = ({ recommender }: ModelGroup): ServedParts => recommender.blend?.serves ?? 'blend'

function liveOf({ recommender }: ModelGroup, scope: JudgedScope = 'recent'): JudgedQuality | null {
  const quality = recommender.blend?.quality(scope) ?? null
  return quality !== null && quality.served.examples > 0 ? quality : null
}

function isBelowPopularity(live: JudgedQuality | null): boolean | null {
  if (live === null || live.served.examples < minJudged) return null
  return isClearlyBelow(live.served.ndcg10, live.popularity.ndcg10)
}

function problemOf(group: ModelGroup): string[] {
  const live = liveOf(group)
  const serves = servesOf(group)
  const isBelow = isBelowPopularity(live)
  if (live === null || isBelow === null) return []
  const [served, popularity] = [live.served.ndcg10, live.popularity.ndcg10]
  const figures = `NDCG@10 ${served.toFixed(3)}, popularity ${popularity.toFixed(3)}`
  if (serves !== 'blend') {
    return [`${group.name}: the fitted blend ranks worse than ${serves}, which serves (${figures})`]
  }
  return isBelow ? [`${group.name}: what is served ranks below popularity (${figures})`] : []
}
