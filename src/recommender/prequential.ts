// Judges relevance on interactions before anything learns from them: first the chosen item is
// ranked by what is served and by each part alone, then the interaction is applied. The blend's
// weights are fitted on the same choices. Only a share of the time may go into it, so that under
// load, and while a log is imported, a sample of the interactions is judged.

import type { Random } from '../core/random.ts'
import { rankOf } from '../core/rank.ts'
import type { ItemIndex } from '../core/types.ts'
import type { SequenceModel } from '../models/index.ts'
import {
  createQualityMeter,
  defaultBlend,
  firstTenOf,
  fitWeights,
  memoryFeature,
  partNames,
} from '../relevance/index.ts'
import type { BlendWeights, Choice, Quality, QualityMeter } from '../relevance/index.ts'
import type { Taken } from './events.ts'
import type { Relevance } from './relevance.ts'
import { areRepeatsRare } from './repeat-rate.ts'
import { choiceOf, sampledChoice } from './sampled-choice.ts'
import type { PartColumns } from './sampled-choice.ts'
import { seenItems } from './seen-items.ts'
import type { State } from './state.ts'
import { isMet } from './impression-rows.ts'
import type { SlateRows } from './impression-rows.ts'
import { findSlate } from './user-state.ts'
import type { UserState } from './user-state.ts'

export const judgedMethods = ['served', 'model', 'memory', 'popularity'] as const
export type JudgedMethod = (typeof judgedMethods)[number]
export type JudgedQuality = Readonly<Record<JudgedMethod, Quality>>

export interface PrequentialSettings {
  /** Milliseconds on any clock; only differences are used. */
  readonly clock: () => number
  /** The share of the time that judging may take; 0.03 by default. */
  readonly share?: number
}

/** What is served: the fitted blend, or the better one of its parts while the blend ranks worse. */
export type ServedParts = 'blend' | 'memory' | 'popularity'

export interface Prequential {
  /** To be called before an interaction is applied. */
  judge(event: Taken): void
  quality(): JudgedQuality
  readonly serves: ServedParts
  /** To be called when other weights serve: the blend is judged from here on. */
  restart(): void
}

/** How many judged interactions count. */
const recent = 1000
/** Choices that weights are fitted on, and how many new ones make a fit worth it. */
const maxChoices = 300
const choicesPerFit = 50
/** Items that a choice outside a slate is compared with: some of the memory's, some of all. */
const sampling = { nearItems: 50, farDraws: 200 }
/** Judged interactions before what is served may be replaced by popularity or the memory. */
const judgedBeforeFallback = 100
/** What is served is below popularity where it has less than this share of its NDCG@10. */
const clearlyWorse = 0.9

const fallbackWeights: Readonly<Record<Exclude<ServedParts, 'blend'>, BlendWeights>> = {
  memory: { ...defaultBlend.weights, model: 0 },
  popularity: { model: 0, memory: 0, popularity: 1, clickRate: 1 },
}

export function createPrequential(
  { model, state, relevance, userEmbedding, random }: PrequentialParts,
  { clock, share = 0.03 }: PrequentialSettings,
): Prequential {
  const newMeter = () => createQualityMeter(recent)
  const meters = {
    served: newMeter(),
    model: newMeter(),
    memory: newMeter(),
    popularity: newMeter(),
  }
  /** The fitted blend, also while something else is served. */
  let blendMeter = newMeter()
  let serves: ServedParts = 'blend'
  const choices: Choice[] = []
  let judged = 0
  const budget = createBudget(clock, share)

  function rank(features: Features, item: ItemIndex, seen: ReadonlySet<ItemIndex>): void {
    const isExcluded = (other: ItemIndex): boolean =>
      seen.has(other) || state.catalogue.removed.has(other)
    for (const method of judgedMethods) {
      const scores = features.scores(method)
      meters[method].add(rankOf(scores, item, isExcluded), firstTenOf(scores, isExcluded))
    }
    const blend = features.blended(relevance.blend.weights)
    blendMeter.add(rankOf(blend, item, isExcluded), new Int32Array())
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
    if (blendMeter.quality(0).examples < judgedBeforeFallback) return
    const [blend, memory, popularity] = [blendMeter, meters.memory, meters.popularity].map(of)
    const isWorse = blend! < clearlyWorse * Math.max(memory!, popularity!)
    if (!isWorse) serve('blend')
    else serve(memory! >= popularity! ? 'memory' : 'popularity')
  }

  function fit(): void {
    const { blend } = relevance
    const weights = fitWeights(choices, { start: blend.weights, steps: 3 })
    relevance.set({ ...blend, weights })
    reconsider()
  }

  function judgeNow(event: Taken): void {
    const item = state.catalogue.find(event.item)
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
    quality: () =>
      Object.fromEntries(
        judgedMethods.map((method) => [method, meters[method].quality(model.itemCount)]),
      ) as JudgedQuality,
    get serves() {
      return serves
    },
    restart() {
      blendMeter = newMeter()
    },
  }
}

/** The largest time that may be spent at once, in milliseconds, after a long rest. */
const largestCredit = 200

/** Runs jobs while there is time to spend: a share of what passes, saved up to a limit. */
function createBudget(clock: () => number, share: number) {
  let credit = 0
  let last = clock()
  return {
    spend(job: () => void): void {
      const start = clock()
      credit = Math.min(largestCredit, credit + share * Math.max(0, start - last))
      last = start
      if (credit < 0) return
      job()
      credit -= clock() - start
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

/** What the parts of the blend say of every item, for one user. */
interface Features {
  /** Items that the memory knows something about. */
  readonly remembered: Int32Array
  readonly columns: PartColumns
  readonly itemCount: number
  scores(method: JudgedMethod): Float32Array
  blended(weights: BlendWeights): Float32Array
}

function featuresOf(
  model: SequenceModel,
  relevance: Relevance,
  user: UserState | undefined,
  theta: Float32Array,
  answered: SlateRows | undefined,
): Features {
  const { itemCount } = model
  const columns = {
    model: modelScores(model, theta),
    memory: new Float32Array(itemCount),
    popularity: Float32Array.from({ length: itemCount }, (_, k) => relevance.popularity(k)),
    clickRate: Float32Array.from({ length: itemCount }, (_, k) => relevance.clickRate(k)),
  }
  if (user) {
    // The slate that is answered is there already: its items count as they did when it was chosen.
    const add = (item: ItemIndex, effect: number): void => {
      columns.clickRate[item]! += effect
    }
    relevance.eachPairEffect(user, add, answered)
  }
  const known = relevance.memory.score(user?.history.column('items') ?? new Int32Array(0))
  const remembered = known.items.slice()
  for (const [i, item] of known.items.entries()) {
    columns.memory[item] = memoryFeature(known.values[i]!, relevance.evidence.itemCount)
  }
  const blended = (weights: BlendWeights): Float32Array => {
    const scores = new Float32Array(itemCount)
    for (const part of partNames) {
      const [column, weight] = [columns[part], weights[part]]
      if (weight === 0) continue
      for (let item = 0; item < itemCount; item++) scores[item]! += weight * column[item]!
    }
    return scores
  }
  return {
    remembered,
    columns,
    itemCount,
    blended,
    scores(method) {
      if (method === 'served') return blended(relevance.served)
      return method === 'popularity' ? blended(fallbackWeights.popularity) : columns[method]
    },
  }
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
