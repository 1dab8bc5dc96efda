// Judges relevance on each interaction before it is applied: ranks the chosen item by the served
// blend and by each part alone. It also fits the blend's weights on the same choices. Judging has a
// time budget, so under load, or during an import, it judges only a sample of the interactions.

import type { InteractionEvent } from '../core/events.ts'
import { bestItems, rankOf } from '../core/rank.ts'
import { day } from '../core/time-units.ts'
import type { ItemIndex } from '../core/types.ts'
import type { SequenceModel } from '../models/index.ts'
import {
  QualityMeter,
  choiceOf,
  contestedChoice,
  defaultBlend,
  fitWeights,
  isClearlyBelow,
  memoryFeature,
  minIndependent,
  minJudged,
  partNames,
} from '../relevance/index.ts'
import type { BlendWeights, Choice, PartName, Quality, SavedMeter } from '../relevance/index.ts'
import type { RecommenderParts } from './decisions.ts'
import { areRepeatsRare } from './evidence.ts'
import { isNewUser, newUserWeights } from './item-offsets.ts'
import type { Relevance } from './relevance.ts'
import { seenRows, wasSeen, findSlate, type SlateRows, type UserState } from './user-state.ts'

const judgedMethods = ['served', 'model', 'memory', 'popularity'] as const
/** A judged ranking: the served one, or one of its parts. */
export type JudgedMethod = (typeof judgedMethods)[number]

export const byMethod = <T>(valueOf: (method: JudgedMethod) => T) =>
  Object.fromEntries(judgedMethods.map((method) => [method, valueOf(method)])) as Record<
    JudgedMethod,
    T
  >

/**
 * Which judged interactions count: the newest 1,000, those among them since the served model version,
 * or the independent ones among them: no slate can have led to them.
 */
export type JudgedScope = 'recent' | 'version' | 'independent'
/** The ranking quality of the served relevance and of each of its parts. */
export type JudgedQuality = Readonly<Record<JudgedMethod, Quality>>

/** Ranks a chosen item by each method, among the items that are not excluded. */
export function addRanks(
  meters: Readonly<Record<JudgedMethod, QualityMeter>>,
  scoresOf: (method: JudgedMethod) => Float32Array,
  item: ItemIndex,
  excluded: ReadonlySet<ItemIndex>,
  isIndependent = false,
): void {
  for (const method of judgedMethods) {
    const scores = scoresOf(method)
    const rank = rankOf(scores, item, excluded)
    const firstTen = bestItems(scores, 10, (other) => excluded.has(other))
    meters[method].add(rank, firstTen, isIndependent)
  }
}

export interface PrequentialSettings {
  /** Milliseconds on any clock; only differences are used. */
  readonly clock: () => number
  /** The share of the time that judging may take. Defaults to 0.03. */
  readonly share?: number
}

/** The served relevance: the fitted blend, or its best part while the blend ranks worse. */
export type ServedParts = 'blend' | 'memory' | 'popularity'

/** Saved quality figures as plain JSON, without data about users. */
export interface SavedJudging {
  /** What was served: the blend, or the better of memory and popularity. */
  readonly serves: ServedParts
  /** The number of judged interactions. */
  readonly judged: number
  /** The number of interactions judged since the served model version started. */
  readonly judgedOfVersion: number
  /** `blend` is the fitted blend, also while a part is served. */
  readonly meters: Readonly<Record<JudgedMethod | 'blend', SavedMeter>>
  /** Whether each of the newest judged interactions is independent, the oldest first. */
  readonly areIndependent: readonly boolean[]
}

/** The number of newest judged interactions that count. */
const recent = 1000
/** The number of newest choices of each kind that weights are fitted on. */
const maxChoices = 300
/** The number of new choices between two fits. */
const choicesPerFit = 50
/** The number of judged interactions after which the blend is compared with its parts again. */
const judgedPerReview = 50
/**
 * The number of interactions outside slates from which on only these fit all weights. The items of a
 * slate were selected by the weights, so that choices among them say little about the rest of the
 * catalog: here they fit the weight of the click rate. Without such interactions they fit all.
 */
const minOrganic = 1000
interface PrequentialParts extends Pick<RecommenderParts, 'model' | 'state'> {
  readonly relevance: Relevance
  /** θ of a user now. */
  readonly userEmbedding: (user: string) => Float32Array
}

const newMeter = () => new QualityMeter(recent)

export class Prequential {
  readonly #parts: PrequentialParts
  readonly #withinBudget: ReturnType<typeof createTimeBudget>
  readonly #meters = byMethod(newMeter)
  /** Judges the fitted blend, also while a part is served. */
  #blendMeter = newMeter()
  readonly #organic = new ChoiceWindow()
  readonly #inSlates = new ChoiceWindow()
  /** Whether judging fits the blend and chooses what serves. Otherwise it only measures. */
  decides = true
  #serves: ServedParts = 'blend'
  #judgedBefore = 0
  #judged = 0
  #judgedOfVersion = 0
  /** The number of interactions judged since the blend was replaced. */
  #judgedOfBlend = 0

  constructor(parts: PrequentialParts, settings: PrequentialSettings) {
    this.#parts = parts
    this.#withinBudget = createTimeBudget(settings)
  }

  get serves(): ServedParts {
    return this.#serves
  }

  /** The number of judged interactions, including those before `restore`. */
  get judged(): number {
    return this.#judgedBefore + this.#judged
  }

  /** Judges an interaction if the time budget allows. Call it before the interaction is applied. */
  evaluate(event: InteractionEvent): void {
    if (event.reward <= 0 || event.teaches === false) return
    this.#withinBudget(() => this.#evaluate(event))
  }

  /** Returns the quality over the interactions of a scope. */
  quality(scope: JudgedScope = 'recent'): JudgedQuality {
    const { itemCount } = this.#parts.model
    const newest = scope === 'recent' ? recent : this.#judgedOfVersion
    return byMethod((method) => {
      const meter = this.#meters[method]
      return scope === 'independent'
        ? meter.independent(itemCount)
        : meter.quality(itemCount, newest)
    })
  }

  /**
   * Restarts the judging of the blend. Call it when the blend is replaced.
   *
   * @param serving What to serve from now on. Defaults to no change.
   */
  restart(serving: ServedParts = this.#serves): void {
    this.#blendMeter = newMeter()
    this.#judgedOfBlend = 0
    this.#serve(serving)
  }

  /** Serves what another process has chosen. */
  follow(serves: ServedParts): void {
    this.#serve(serves)
  }

  /** Call it when another version of the model serves. */
  startVersion(): void {
    this.#judgedOfVersion = 0
  }

  save(): SavedJudging {
    const all = { ...this.#meters, blend: this.#blendMeter }
    const saved = Object.entries(all).map(([method, meter]) => [method, meter.save()])
    return {
      serves: this.#serves,
      judged: this.judged,
      judgedOfVersion: this.#judgedOfVersion,
      meters: Object.fromEntries(saved) as SavedJudging['meters'],
      areIndependent: this.#meters.served.areIndependent,
    }
  }

  /** Restores saved figures. Call it before anything is judged. */
  restore(saved: SavedJudging): void {
    this.#judgedBefore = saved.judged
    this.#judgedOfVersion = saved.judgedOfVersion
    const { meters, areIndependent } = saved
    for (const method of judgedMethods) this.#meters[method].restore(meters[method], areIndependent)
    this.#blendMeter.restore(meters.blend, areIndependent)
    this.#serve(saved.serves)
  }

  #evaluate(event: InteractionEvent): void {
    const { model, state, userEmbedding } = this.#parts
    const item = state.catalog.find(event.item)
    const user = state.users.get(event.user)
    if (item === undefined || item >= model.itemCount) return
    const seen = new Set(user && seenRows(user, this.#excludesSeen()))
    if (seen.has(item)) return
    const found = user && findSlate(user, event.recommendationId)
    const answered = found?.items.includes(item) ? found : undefined
    const features = featuresOf(this.#parts, user, userEmbedding(event.user), answered)
    const excluded = seen.union(state.catalog.removed)
    this.#rank(features, item, excluded, isIndependentOfSlates(user, event))
    this.#judged += 1
    const { columns } = features
    const choice = answered
      ? choiceOf(columns, item, othersOf(answered, item))
      : contestedChoice(columns, item, (other) => excluded.has(other))
    if (choice !== null) this.#learn(choice, answered ? this.#inSlates : this.#organic)
    this.#judgedOfBlend += 1
    if (this.decides && this.#judgedOfBlend % judgedPerReview === 0) this.#reconsider()
  }

  #rank(
    features: ReturnType<typeof featuresOf>,
    item: ItemIndex,
    excluded: ReadonlySet<ItemIndex>,
    independent: boolean,
  ): void {
    const { relevance } = this.#parts
    const scoresOf = (method: JudgedMethod): Float32Array => {
      if (method === 'served') return features.served(relevance.served())
      if (method === 'popularity') return blended(features.columns, fallbackWeights.popularity)
      return features.columns[method]
    }
    addRanks(this.#meters, scoresOf, item, excluded, independent)
    const blend = features.served(relevance.effective(relevance.blend.weights))
    this.#blendMeter.add(rankOf(blend, item, excluded), new Int32Array(), independent)
    this.#judgedOfVersion += 1
  }

  /** Whether users hardly ever choose an item again. */
  #excludesSeen(): boolean {
    const { repeats, possibleRepeats } = this.#parts.state.repeats
    return areRepeatsRare(repeats, possibleRepeats)
  }

  /** Adds a choice, and fits the weights if enough choices are new. */
  #learn(choice: Choice, window: ChoiceWindow): void {
    window.add(choice)
    if (window.added % choicesPerFit !== 0 || !this.decides) return
    const all = [...this.#organic.choices, ...this.#inSlates.choices]
    const isSeparate = this.#parts.relevance.evidence.totals.organic >= minOrganic
    if (!isSeparate) this.#fit(partNames, all)
    else this.#fit(window === this.#organic ? partNames : ['clickRate'], window.choices)
  }

  #fit(parts: readonly PartName[], choices: readonly Choice[]): void {
    const { relevance } = this.#parts
    const { blend } = relevance
    const weights = fitWeights(choices, { start: blend.weights, parts, steps: 3 })
    relevance.set({ ...blend, weights })
  }

  /**
   * Serves the better of memory and popularity while the blend ranks clearly worse. Only independent
   * interactions count: users click on slates that contain popular items, so among clicks popularity
   * ranks well even if it serves worse. A new blend is compared on the interactions since it serves,
   * which may be harder than those before, such as imported ones.
   */
  #reconsider(): void {
    const { examples } = this.#blendMeter.quality(0)
    if (examples < minJudged) return
    const ndcgOf = (meter: QualityMeter): number => meter.independent(0, examples).ndcg10
    const blend = ndcgOf(this.#blendMeter)
    const memory = ndcgOf(this.#meters.memory)
    const popularity = ndcgOf(this.#meters.popularity)
    const independent = this.#blendMeter.independent(0).examples
    const isEnough = independent >= Math.min(minIndependent, examples)
    if (!isEnough || !isClearlyBelow(blend, Math.max(memory, popularity))) this.#serve('blend')
    else this.#serve(memory >= popularity ? 'memory' : 'popularity')
  }

  #serve(next: ServedParts): void {
    if (next === this.#serves) return
    this.#serves = next
    this.#parts.relevance.fallBack(next === 'blend' ? null : fallbackWeights[next])
  }
}

/** The newest choices of one kind. */
class ChoiceWindow {
  readonly choices: Choice[] = []
  added = 0

  add(choice: Choice): void {
    this.choices[this.added++ % maxChoices] = choice
  }
}

/** The weights to serve while the fitted blend ranks worse. */
const fallbackWeights: Readonly<Record<Exclude<ServedParts, 'blend'>, BlendWeights>> = {
  memory: { ...defaultBlend.weights, model: 0 },
  popularity: { model: 0, memory: 0, popularity: 1, clickRate: 1 },
}

/**
 * Computes the features of every item for one user, to rank by each method.
 *
 * @param answered The slate that the judged interaction belongs to, if there is one.
 */
function featuresOf(
  { model, relevance }: PrequentialParts,
  user: UserState | undefined,
  theta: Float32Array,
  answered: SlateRows | undefined,
) {
  const { itemCount } = model
  const columnOf = (part: (item: ItemIndex) => number): Float32Array =>
    Float32Array.from({ length: itemCount }, (_, item) => part(item))
  const clickRate = columnOf((item) => relevance.shared.clickRate(item))
  const add = (item: ItemIndex, effect: number): void => {
    clickRate[item]! += effect
  }
  // The state already includes the answered slate; its items count as before it was shown.
  if (user) relevance.pairEffects.each(user, add, answered)
  const remembered = relevance.memory.score(user?.history.column('items') ?? new Int32Array(0))
  const memory = new Float32Array(itemCount)
  for (const [i, item] of remembered.items.entries()) {
    memory[item] = memoryFeature(remembered.values[i]!, relevance.evidence.itemCount)
  }
  const popularity = columnOf((item) => relevance.shared.popularity(item))
  const columns = { model: modelScores(model, theta), memory, popularity, clickRate }
  return {
    columns,
    /** Scores the items by these weights as they serve this user. */
    served: (weights: BlendWeights) =>
      blended(columns, isNewUser(user) ? newUserWeights(weights) : weights),
  }
}

type Columns = Readonly<Record<PartName, Float32Array>>

function blended(columns: Columns, weights: BlendWeights): Float32Array {
  const scores = new Float32Array(columns.model.length)
  for (const part of partNames) {
    const [column, weight] = [columns[part], weights[part]]
    if (weight === 0) continue
    for (let item = 0; item < scores.length; item++) scores[item]! += weight * column[item]!
  }
  return scores
}

/** μᵀθ + b of every item. */
function modelScores(model: SequenceModel, theta: Float32Array): Float32Array {
  const { engine, itemEmbeddings: x, itemCount, dimension, itemBias } = model
  return engine.scope((temporary) => {
    const vector = temporary.vector('theta', dimension)
    const out = temporary.vector('scores', itemCount)
    vector.values.set(theta)
    engine.trusted.dotRows({ x, vector, out })
    const scores = out.values.slice()
    if (itemBias !== null) for (let k = 0; k < itemCount; k++) scores[k]! += itemBias.values[k]!
    return scores
  })
}

/** The maximum of unused time that a budget accumulates, in milliseconds. */
const largestCredit = 200

/** Limits jobs to a share of the elapsed time. Unused time accumulates up to a limit. */
function createTimeBudget({ clock, share = 0.03 }: PrequentialSettings) {
  let credit = 0
  let last = clock()
  return (job: () => void): void => {
    const start = clock()
    credit = Math.min(largestCredit, credit + share * Math.max(0, start - last))
    last = start
    if (credit < 0) return
    job()
    credit -= clock() - start
  }
}

/** How long after a slate an interaction may still depend on it. */
const slateEffect = day

/**
 * Whether no slate can have led to an interaction: the user was shown none on the day before. Other
 * interactions do not compare rankings fairly. Those from slates favor the served ranking, because the
 * user chose among its items. The others count against it, because the user has already found in the
 * slates what it ranks well.
 */
function isIndependentOfSlates(
  user: UserState | undefined,
  { time, recommendationId }: InteractionEvent,
): boolean {
  if (recommendationId !== undefined) return false
  const shownAt = user?.recentSlates.column('times').at(-1)
  return shownAt === undefined || time - shownAt > slateEffect
}

/** Returns the other items of a slate that the user saw and did not choose. */
function othersOf({ items, flags, rewards }: SlateRows, item: ItemIndex): ItemIndex[] {
  return [...items].filter(
    (other, slot) => other !== item && wasSeen(flags[slot]!) && !(rewards[slot]! > 0),
  )
}
