// How well each group ranks what users choose, now and over time, and what is wrong where it ranks
// worse than popularity.

import type { JudgedMethod, JudgedQuality, ServedParts } from '../recommender/index.ts'
import type { Blend } from '../relevance/index.ts'
import type { Group } from './groups.ts'
import type { Position } from '../storage/index.ts'

export interface GroupQuality {
  readonly group: string
  /** What is served: the fitted blend, or a part of it while the blend ranks clearly worse. */
  readonly serves: ServedParts
  /** Null where relevance is the model's alone. */
  readonly blend: Blend | null
  /** Of recent interactions, each ranked before anything learned from it; null before the first. */
  readonly live: JudgedQuality | null
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
}

/** The figures to go by: of recent interactions, or while those are few, of held-out ones. */
function judgedQuality({
  live,
  heldOut,
}: Pick<GroupQuality, 'live' | 'heldOut'>): JudgedQuality | null {
  const isEnough = live !== null && live.served.examples >= fewestJudged
  return isEnough ? live : (heldOut ?? live)
}

export function summarizeQuality(quality: GroupQuality): QualitySummary {
  const { group, serves, heldOut } = quality
  const judged = judgedQuality(quality)
  const judgedOn = judged !== null && judged === heldOut ? 'held-out' : 'live'
  if (judged === null) return { group, serves, judgedOn, examples: 0, hr10: null }
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
  }
}

export interface ServiceQuality {
  report(): readonly GroupQuality[]
  /** What an operator must know. */
  readonly problems: readonly string[]
  /** A full training run has judged what it will serve. */
  heldOut(group: string, quality: JudgedQuality): void
  /** Another version of a group serves. */
  versionChanged(group: string): void
  close(): void
}

const maxPoints = 500
const millisecondsPerPoint = 60_000
/** Fewer judged interactions say nothing. */
const fewestJudged = 100
/** Served quality is below popularity where it has less than this share of its NDCG@10. */
const clearlyWorse = 0.9

export function createServiceQuality(
  groups: readonly Group[],
  { clock, position }: { readonly clock: () => number; readonly position: () => Position },
): ServiceQuality {
  const heldOut = new Map<string, JudgedQuality>()
  const histories = new Map(groups.map(({ name }) => [name, [] as QualityPoint[]]))

  const liveOf = ({ recommender }: Group): JudgedQuality | null => {
    const quality = recommender.blend?.quality() ?? null
    return quality !== null && quality.served.examples > 0 ? quality : null
  }

  function addPoint(group: Group): void {
    const live = liveOf(group)
    const points = histories.get(group.name)!
    const last = points.at(-1)
    if (live === null) return
    const { version } = group
    if (last?.version === version && last.served.examples === live.served.examples) return
    points.push({ time: clock(), position: position(), version, ...live })
    if (points.length > maxPoints) points.shift()
  }

  function problemOf(group: Group): string[] {
    const live = liveOf(group)
    const serves = group.recommender.blend?.serves ?? 'blend'
    if (live === null || live.served.examples < fewestJudged) return []
    const [served, popularity] = [live.served.ndcg10, live.popularity.ndcg10]
    const figures = `NDCG@10 ${served.toFixed(3)}, popularity ${popularity.toFixed(3)}`
    if (serves !== 'blend') {
      return [
        `${group.name}: the fitted blend ranks worse than ${serves}, which serves (${figures})`,
      ]
    }
    const isBelow = served < clearlyWorse * popularity
    return isBelow ? [`${group.name}: what is served ranks below popularity (${figures})`] : []
  }

  const addPoints = (): void => groups.forEach(addPoint)
  const timer = setInterval(addPoints, millisecondsPerPoint).unref()

  return {
    report: () =>
      groups.map((group) => ({
        group: group.name,
        serves: group.recommender.blend?.serves ?? 'blend',
        blend: group.recommender.blend?.current ?? null,
        live: liveOf(group),
        heldOut: heldOut.get(group.name) ?? null,
        history: histories.get(group.name)!,
      })),
    get problems() {
      return groups.flatMap(problemOf)
    },
    heldOut: (group, quality) => void heldOut.set(group, quality),
    versionChanged(name) {
      groups.filter((group) => group.name === name).forEach(addPoint)
    },
    close: () => clearInterval(timer),
  }
}
