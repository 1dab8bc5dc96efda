// Fits a blend to held-out interactions: chooses the memory, then fits the weights of all parts. Half
// of the held-out users fit the weights, and the other half judge them.

import { createRandom } from '../core/random.ts'
import { createCatalogScorer, type SequenceModel } from '../models/index.ts'
import {
  QualityMeter,
  contestedChoice,
  defaultBlend,
  fitWeights,
  memoryFeature,
  popularityFeature,
} from '../relevance/index.ts'
import type { Blend, BlendWeights, Choice, Memory } from '../relevance/index.ts'
import { chooseMemory, fill } from './choose-memory.ts'
import type { HeldOut } from './held-out.ts'
import { holdOutLatest, packHistories, supportOf, unpackHistories } from './held-out.ts'
import { addRanks, byMethod, type JudgedMethod, type JudgedQuality } from './prequential.ts'
import type { Recommender } from './recommender-api.ts'

export interface FitBlendOptions {
  readonly heldOut: HeldOut
  readonly itemCount: number
  /** A model that has not learned from the held-out interactions; null if there is none. */
  readonly model: SequenceModel | null
  /** Judges these weights on all held-out users, instead of fitting weights on half of them. */
  readonly weights?: BlendWeights
}

/** A blend of relevance that was fitted to held-out users, with its quality. */
export interface FittedBlend {
  readonly blend: Blend
  /** The quality for the held-out users who did not fit it. */
  readonly quality: JudgedQuality
}

export interface JudgedBlend extends FittedBlend {
  /** The ranks of the judged items by each method, in the same order. */
  readonly ranks: Readonly<Record<JudgedMethod, readonly number[]>>
}

export function fitBlend(options: FitBlendOptions): JudgedBlend {
  const { heldOut, itemCount } = options
  const chosen = chooseMemory(heldOut, itemCount)
  const { backward } = chosen.transitions
  const { rowPower, columnPower } = chosen.rule
  const visitTests = createVisits(options, chosen)
  const weights = options.weights ?? fitted(options, visitTests)
  const meters = byMethod(() => new QualityMeter(heldOut.tests.length))
  const judge = ({ columns, item, seen }: Test): void => {
    const scoresOf = (method: JudgedMethod): Float32Array =>
      method === 'served' ? blended(columns, weights) : columns[method]
    addRanks(meters, scoresOf, item, seen)
  }
  if (options.weights !== undefined) visitTests(0, judge)
  visitTests(1, judge)
  chosen.transitions.release()
  return {
    blend: { weights, backward, normalization: { rowPower, columnPower } },
    quality: byMethod((method) => meters[method].quality(itemCount)),
    ranks: byMethod((method) => meters[method].ranks),
  }
}

type Visits = ReturnType<typeof createVisits>

/** Fits the weights to every second held-out interaction. */
function fitted({ model }: FitBlendOptions, visitTests: Visits): BlendWeights {
  const choices: Choice[] = []
  visitTests(0, ({ columns: { model: scores, ...others }, item, seen }) => {
    const columns = model === null ? others : { model: scores, ...others }
    const choice = contestedChoice(columns, item, (other) => seen.has(other))
    if (choice !== null) choices.push(choice)
  })
  const { weights: start } = defaultBlend
  const weights = fitWeights(choices, { start, precision: 1 })
  return { ...weights, model: model === null ? 0 : weights.model, clickRate: start.clickRate }
}

/** The feature of every item, by part. */
type Columns = Readonly<Record<'model' | 'memory' | 'popularity', Float32Array>>

/** One held-out interaction. The columns are valid during the visit. */
interface Test {
  readonly columns: Columns
  readonly item: number
  readonly seen: ReadonlySet<number>
}

/**
 * Creates a function that visits every second held-out interaction, from the first or the second
 * on.
 */
function createVisits({ heldOut, itemCount, model }: FitBlendOptions, memory: Memory) {
  const { tests, training, excludeHistory } = heldOut
  const counts = supportOf(training, itemCount)
  const withInteractions = counts.reduce((sum, count) => sum + Number(count > 0), 0)
  const popularity = Float32Array.from(counts, popularityFeature)
  const feature = (score: number): number => memoryFeature(score, withInteractions)
  const remembered = new Float32Array(itemCount)
  const none = new Float32Array(itemCount)
  return (first: 0 | 1, visit: (test: Test) => void): void => {
    const half = tests.filter((_, test) => test % 2 === first)
    const visitWith = (test: number, scores: Float32Array): void => {
      const { items } = half[test]!
      const history = items.subarray(0, -1)
      const item = items[items.length - 1]!
      const seen = new Set(excludeHistory ? history : [])
      if (seen.has(item)) return
      fill(remembered, memory, history, feature)
      visit({ columns: { model: scores, memory: remembered, popularity }, item, seen })
    }
    if (model === null) for (const test of half.keys()) visitWith(test, none)
    else createCatalogScorer(model).scoreTargets(half, (test, _, s) => visitWith(test, s))
  }
}

const blended = (columns: Columns, weights: BlendWeights): Float32Array =>
  columns.popularity.map(
    (popularity, item) =>
      weights.model * columns.model[item]! +
      weights.memory * columns.memory[item]! +
      weights.popularity * popularity,
  )

/** Fewer users are not enough to fit four weights, or even to judge a model. */
const [minToFit, minToJudge] = [100, 20]

/** The weights with too few users to fit them: the model's scores count as log-probabilities. */
const unfittedWeights: BlendWeights = { ...defaultBlend.weights, model: 1 }

/** The blend of an imported model; without a judgment if there are too few users for one. */
export interface ServedBlend extends Partial<Omit<JudgedBlend, 'blend'>> {
  readonly blend: Blend
  /** Whether its weights are fitted. With few users they are fixed. */
  readonly isFitted: boolean
}

/**
 * Fits the blend for an imported model to each user's latest interaction. If the model has learned
 * from those interactions, it gets too much weight until live interactions correct it. `ren train`
 * leaves them out.
 */
export function fitServedBlend({
  model,
  state,
}: Pick<Recommender, 'model' | 'state'>): ServedBlend {
  const { itemCount, architecture } = model
  const withTimes = architecture.readsTimes === true
  const packed = packHistories(state.users, { itemCount, withTimes })
  const sequences = unpackHistories(packed)
  const users = sequences.filter(({ items }) => items.length > 1).length
  const isFitted = users >= minToFit
  if (users < minToJudge) return { blend: { ...defaultBlend, weights: unfittedWeights }, isFitted }
  const random = createRandom('served blend')
  const heldOut = holdOutLatest(sequences, { keys: packed.keys, random })
  const given = isFitted ? {} : { weights: unfittedWeights }
  const judged = fitBlend({ heldOut, itemCount, model, ...given })
  return { ...judged, isFitted }
}
