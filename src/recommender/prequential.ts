// Judges relevance on interactions before anything learns from them: first the chosen item is
// ranked by what is served and by each part alone, then the interaction is applied. The blend's
// weights are fitted on the same choices. Only a share of the time may go into it, so that under
// load, and while a log is imported, a sample of the interactions is judged.

import type { InteractionEvent } from '../core/events.ts'
import type { Random } from '../core/random.ts'
import { rankOf } from '../core/rank.ts'
import type { ItemIndex } from '../core/types.ts'
import type { SequenceModel } from '../models/index.ts'
import {
  QualityMeter,
  firstTenOf,
  fitWeights,
  isClearlyBelow,
  minJudged,
} from '../relevance/index.ts'
import type { Choice, Quality, SavedMeter } from '../relevance/index.ts'
import { areRepeatsRare } from './interaction-tally.ts'
import { fallbackWeights, featuresOf, choiceOf, sampledChoice } from './relevance-parts.ts'
import type { Features } from './relevance-parts.ts'
import type { Relevance } from './relevance.ts'
import { seenItems, isMet } from './seen-items.ts'
import type { SlateRows } from './seen-items.ts'
import type { State } from './state.ts'
import { createTimeBudget } from './time-budget.ts'
import { findSlate } from './user-state.ts'
import type { UserState } from './user-state.ts'

export const judgedMethods = ['served', 'model', 'memory', 'popularity'] as const
/** A ranking that is judged: the served one, or one of its parts. */
export type JudgedMethod = (typeof judgedMethods)[number]
/**
 * Which judged interactions count: the newest 1,000, or those among them since the served model
 * version.
 */
export type JudgedScope = 'recent' | 'version'
/** The ranking quality of the served relevance and of each of its parts. */
export type JudgedQuality = Readonly<Record<JudgedMethod, Quality>>

export interface PrequentialSettings {
  /** Milliseconds on any clock; only differences are used. */
  readonly clock: () => number
  /** The share of the time that judging may take; 0.03 by default. */
  readonly share?: number
}

/** What relevance is served: the fitted blend, or its best part while the blend ranks worse. */
export type ServedParts = 'blend' | 'memory' | 'popularity'

/** Saved quality figures as plain JSON, without data about users. */
export interface SavedJudging {
  readonly serves: ServedParts
  /** How many interactions were judged. */
  readonly judged: number
  /** How many interactions were judged since the version serves. */
  readonly judgedOfVersion: number
  /** `blend` is the fitted blend, also while something else is served. */
  readonly meters: Readonly<Record<JudgedMethod | 'blend', SavedMeter>>
}

export interface Prequential {
  /** To be called before an interaction is applied. */
  judge(event: InteractionEvent): void
  /** Of recent interactions, or of those since `startVersion`. */
  quality(scope?: JudgedScope): JudgedQuality
  readonly serves: ServedParts
  /** How many interactions were judged, before `restore` too. */
  readonly judged: number
  /**
   * To be called when the blend is another one: it is judged from here on.
   *
   * @param serving Serves it at once. Defaults to what serves.
   */
  restart(serving?: ServedParts): void
  /** To be called when another version of the model serves. */
  startVersion(): void
  save(): SavedJudging
  /** For one that has judged nothing. */
  restore(saved: SavedJudging): void
}

/** How many judged interactions count. */
const recent = 1000
/** Choices that weights are fitted on, and how many new ones make a fit worth it. */
const maxChoices = 300
const choicesPerFit = 50
/** Items that a choice outside a slate is compared with: some of the memory's, some of all. */
const sampling = { nearItems: 50, farDraws: 200 }

export function createPrequential(
  { model, state, relevance, userEmbedding, random }: PrequentialParts,
  { clock, share = 0.03 }: PrequentialSettings,
): Prequential {
  const newMeter = () => new QualityMeter(recent)
  const meters = {
    served: newMeter(),
    model: newMeter(),
    memory: newMeter(),
    popularity: newMeter(),
  }
  /** The fitted blend, also while something else is served. */
  let blendMeter = newMeter()
  let serves: ServedParts = 'blend'
  let judgedBefore = 0
  let judgedOfVersion = 0
  const choices: Choice[] = []
  let judged = 0
  const budget = createTimeBudget(clock, share)

  function rank(features: Features, item: ItemIndex, seen: ReadonlySet<ItemIndex>): void {
    const isExcluded = (other: ItemIndex): boolean =>
      seen.has(other) || state.catalog.removed.has(other)
    for (const method of judgedMethods) {
      const scores = features.scores(method)
      meters[method].add(rankOf(scores, item, isExcluded), firstTenOf(scores, isExcluded))
    }
    const blend = features.blended(relevance.effective(relevance.blend.weights))
    blendMeter.add(rankOf(blend, item, isExcluded), new Int32Array())
    judgedOfVersion += 1
  }

  /** Whether the log shows that users hardly ever choose an item again. */
  function excludesSeen(): boolean {
    const { repeats, possibleRepeats } = state.repeats
    return areRepeatsRare(repeats, possibleRepeats)
  }

  function serve(next: ServedParts): void {
    if (next === serves) return
    serves = next
    relevance.fallBack(next === 'blend' ? null : fallbackWeights[next])
  }

  function reconsider(): void {
    const of = (meter: QualityMeter): number => meter.quality(0).ndcg10
    if (blendMeter.quality(0).examples < minJudged) return
    const [blend, memory, popularity] = [blendMeter, meters.memory, meters.popularity].map(of)
    if (!isClearlyBelow(blend!, Math.max(memory!, popularity!))) serve('blend')
    else serve(memory! >= popularity! ? 'memory' : 'popularity')
  }

  function fit(): void {
    const { blend } = relevance
    const weights = fitWeights(choices, { start: blend.weights, steps: 3 })
    relevance.set({ ...blend, weights })
    reconsider()
  }

  function judgeNow(event: InteractionEvent): void {
    const item = state.catalog.find(event.item)
    const user = state.users.get(event.user)
    if (item === undefined || item >= model.itemCount) return
    const seen = user ? seenItems(user, excludesSeen()) : new Set<ItemIndex>()
    if (seen.has(item)) return
    const answered = user && answeredSlate(user, item, event.recommendationId)
    const features = featuresOf(model, relevance, user, userEmbedding(event.user), answered)
    rank(features, item, seen)
    const slate = answered && othersOf(answered, item)
    const draws = random.fork(String(judged))
    choices[judged % maxChoices] = slate
      ? choiceOf(features.columns, item, slate)
      : sampledChoice({ ...features, ...sampling, item, seen, random: draws })
    judged += 1
    if (judged % choicesPerFit === 0) fit()
  }

  return {
    judge(event) {
      if (event.reward <= 0 || event.teaches === false) return
      budget.spend(() => judgeNow(event))
    },
    quality(scope = 'recent') {
      const newest = scope === 'recent' ? recent : judgedOfVersion
      const qualityOf = (method: JudgedMethod) => meters[method].quality(model.itemCount, newest)
      const all = judgedMethods.map((method) => [method, qualityOf(method)])
      return Object.fromEntries(all) as JudgedQuality
    },
    get serves() {
      return serves
    },
    get judged() {
      return judgedBefore + judged
    },
    restart(serving = serves) {
      blendMeter = newMeter()
      serve(serving)
    },
    startVersion() {
      judgedOfVersion = 0
    },
    save() {
      const all = { ...meters, blend: blendMeter }
      const saved = Object.entries(all).map(([method, meter]) => [method, meter.save()])
      return {
        serves,
        judged: judgedBefore + judged,
        judgedOfVersion,
        meters: Object.fromEntries(saved) as SavedJudging['meters'],
      }
    },
    restore(saved) {
      judgedBefore = saved.judged
      judgedOfVersion = saved.judgedOfVersion
      for (const method of judgedMethods) meters[method].restore(saved.meters[method])
      blendMeter.restore(saved.meters.blend)
      serve(saved.serves)
    },
  }
}

export interface PrequentialParts {
  readonly model: SequenceModel
  readonly state: State
  readonly relevance: Relevance
  /** θ of a user now. */
  readonly userEmbedding: (user: string) => Float32Array
  readonly random: Random
}

/** The slate that an interaction answers; undefined where it answers none. */
function answeredSlate(
  user: UserState,
  item: ItemIndex,
  recommendationId: string | undefined,
): SlateRows | undefined {
  const slate = findSlate(user, recommendationId)
  return slate?.items.includes(item) ? slate : undefined
}

/** The other items of a slate, as far as the user met them and has not chosen them. */
function othersOf({ items, flags, rewards }: SlateRows, item: ItemIndex): ItemIndex[] {
  return [...items].filter(
    (other, slot) => other !== item && isMet(flags[slot]!) && !(rewards[slot]! > 0),
  )
}
