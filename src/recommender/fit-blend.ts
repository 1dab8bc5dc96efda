// Fits a blend to held-out interactions: first the backward share of transitions, then the weights
// of all parts. Half of the held-out users fit the weights, and the other half judge them.

import { createRandom, type Random } from '../core/random.ts'
import { rankOf } from '../core/rank.ts'
import { createCatalogScorer, type SequenceModel } from '../models/index.ts'
import {
  Memory,
  Transitions,
  defaultBlend,
  fitWeights,
  memoryFeature,
  memoryRule,
  QualityMeter,
  popularityFeature,
  sampledChoice,
} from '../relevance/index.ts'
import type { Backward, Blend, BlendWeights, Choice } from '../relevance/index.ts'
import type { HeldOut } from './held-out.ts'
import { holdOutLatest, packHistories, supportOf, unpackHistories } from './held-out.ts'
import { addRanks, byMethod, type JudgedMethod, type JudgedQuality } from './prequential.ts'
import type { Recommender } from './recommender-api.ts'

interface FitBlendOptions {
  readonly heldOut: HeldOut
  readonly itemCount: number
  /** A model that has not learned from the held-out interactions; null if there is none. */
  readonly model: SequenceModel | null
  readonly random: Random
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

/**
 * Maximum number of interactions that choose `backward`. A sparse sample overrates backward
 * transitions: 200,000 of the million interactions of MovieLens-1M chose 0.5, although 0 and 0.25
 * are best.
 */
const maxSampled = 3_000_000
/** The minimum number of held-out users for that choice. */
const fewestTests = 300
/** The sample of items that a choice is compared with: see `sampledChoice`. */
const sampling = { nearItems: 100, farDraws: 200 }

const candidates: readonly Backward[] = [0, 0.25, 0.5, 1]

export function fitBlend(options: FitBlendOptions): JudgedBlend {
  const { heldOut, itemCount } = options
  const chosen = chooseMemory(heldOut, itemCount)
  const { backward } = chosen.transitions
  const visitTests = createVisits(options, chosen)
  const weights = options.weights ?? fitted(options, visitTests)
  const meters = byMethod(() => new QualityMeter(heldOut.tests.length))
  const judge = ({ columns, item, seen }: Test): void => {
    const scoresOf = (method: JudgedMethod): Float32Array =>
      method === 'served' ? blended(columns, weights) : columns[method]
    addRanks(meters, scoresOf, item, (other) => seen.has(other))
  }
  if (options.weights !== undefined) visitTests(0, judge)
  visitTests(1, judge)
  chosen.transitions.release()
  return {
    blend: { weights, backward },
    quality: byMethod((method) => meters[method].quality(itemCount)),
    ranks: byMethod((method) => meters[method].ranks),
  }
}

type Visits = ReturnType<typeof createVisits>

/** Fits the weights to every second held-out interaction. */
function fitted({ model, itemCount, random }: FitBlendOptions, visitTests: Visits): BlendWeights {
  const choices: Choice[] = []
  visitTests(0, (test) => {
    const { memory } = test.columns
    const remembered = Int32Array.from(memory.keys()).filter((other) => memory[other]! > 0)
    const draws = random.fork(String(choices.length))
    choices.push(sampledChoice({ ...test, ...sampling, remembered, itemCount, random: draws }))
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
 * Returns the memory with the `backward` that gives held-out interactions the best mean reciprocal
 * rank.
 */
function chooseMemory(heldOut: HeldOut, itemCount: number): Memory {
  const { tests, training, excludeHistory } = heldOut
  if (tests.length < fewestTests) return countMemory(training, defaultBlend.backward)
  const sample = sampleOf(heldOut)
  let best: { memory: Memory; mrr: number } | null = null
  for (const backward of candidates) {
    const memory = countMemory(sample, backward)
    const scores = new Float32Array(itemCount)
    let sum = 0
    for (const { items } of tests) {
      const history = items.subarray(0, -1)
      const seen = new Set(excludeHistory ? history : [])
      fill(scores, memory, history, (score) => score)
      sum += 1 / rankOf(scores, items[items.length - 1]!, (item) => seen.has(item))
    }
    const mrr = sum / tests.length
    if (best !== null && mrr <= best.mrr) memory.transitions.release()
    else {
      best?.memory.transitions.release()
      best = { memory, mrr }
    }
  }
  const { memory } = best!
  if (sample === training) return memory
  memory.transitions.release()
  return countMemory(training, memory.transitions.backward)
}

type Sequences = HeldOut['training']

/**
 * Returns all histories. Above a limit, returns those of the held-out users, then some of the
 * others.
 */
function sampleOf({ training, tests }: HeldOut): Sequences {
  const interactions = training.reduce((sum, { items }) => sum + items.length, 0)
  if (interactions <= maxSampled) return training
  const isTest = new Set(tests.map(({ user }) => user))
  const order = [...training.entries()].toSorted(
    ([a], [b]) => Number(isTest.has(b)) - Number(isTest.has(a)) || a - b,
  )
  let count = 0
  return order.flatMap(([, history]) => {
    if (count >= maxSampled) return []
    count += history.items.length
    return [history]
  })
}

function countMemory(sequences: Sequences, backward: Backward): Memory {
  const transitions = new Transitions(backward)
  transitions.countAll(sequences.map(({ items }) => items))
  return new Memory(transitions, memoryRule)
}

function fill(
  scores: Float32Array,
  memory: Memory,
  history: Int32Array,
  feature: (score: number) => number,
): void {
  scores.fill(0)
  const { items, values } = memory.score(history)
  for (let i = 0; i < items.length; i++) scores[items[i]!] = feature(values[i]!)
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
  const packed = packHistories(state.users, model.itemCount, model.architecture.readsTimes === true)
  const sequences = unpackHistories(packed)
  const users = sequences.filter(({ items }) => items.length > 1).length
  const isFitted = users >= minToFit
  if (users < minToJudge) return { blend: { ...defaultBlend, weights: unfittedWeights }, isFitted }
  const random = createRandom('served blend')
  const heldOut = holdOutLatest(sequences, { keys: packed.keys, random })
  const given = isFitted ? {} : { weights: unfittedWeights }
  const judged = fitBlend({ heldOut, itemCount: model.itemCount, model, random, ...given })
  return { ...judged, isFitted }
}
