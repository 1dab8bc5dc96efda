// A blend fitted on held-out interactions: first how much the memory counts backward, then the
// weights of all parts, half of the held-out users fitting them and the other half judging.

import type { Random } from '../core/random.ts'
import { createRandom } from '../core/random.ts'
import { rankOf } from '../core/rank.ts'
import { createCatalogScorer } from '../models/index.ts'
import type { SequenceModel } from '../models/index.ts'
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
import { addRanks, byMethod } from './prequential.ts'
import type { JudgedMethod, JudgedQuality } from './prequential.ts'
import type { Recommender } from './recommender-api.ts'

interface FitBlendOptions {
  readonly heldOut: HeldOut
  readonly itemCount: number
  /** Has not learned from what is held out; null where there is none yet. */
  readonly model: SequenceModel | null
  readonly random: Random
}

/** A blend of relevance that was fitted to held-out users, with its quality. */
export interface FittedBlend {
  readonly blend: Blend
  /** Of the held-out users who did not fit it. */
  readonly quality: JudgedQuality
}

/** With the rank of every judged item by each method, in the same order. */
export interface JudgedBlend extends FittedBlend {
  readonly ranks: Readonly<Record<JudgedMethod, readonly number[]>>
}

/**
 * Interactions that `backward` is chosen by. Of a sparse sample, counting both ways looks better than
 * it is: with 200,000 of MovieLens-1M's million, 0.5 was chosen where 0 and 0.25 are best.
 */
const maxSampled = 3_000_000
/** The fewest held out for that choice. */
const fewestTests = 300
/** Items that a choice is compared with, of the memory's and of all. */
const sampling = { nearItems: 100, farDraws: 200 }

const candidates: readonly Backward[] = [0, 0.25, 0.5, 1]

export function fitBlend(options: FitBlendOptions): JudgedBlend {
  const { heldOut, itemCount, random, model } = options
  const chosen = chooseMemory(heldOut, itemCount)
  const { backward } = chosen.transitions
  const visitTests = createVisits(options, chosen)
  const choices: Choice[] = []
  visitTests(0, (test) => {
    const { memory } = test.columns
    const remembered = Int32Array.from(memory.keys()).filter((other) => memory[other]! > 0)
    const draws = random.fork(String(choices.length))
    choices.push(sampledChoice({ ...test, ...sampling, remembered, itemCount, random: draws }))
  })
  const { weights: start } = defaultBlend
  const fitted = fitWeights(choices, { start, precision: 1 })
  const weights = {
    ...fitted,
    model: model === null ? 0 : fitted.model,
    clickRate: start.clickRate,
  }
  const meters = byMethod(() => new QualityMeter(heldOut.tests.length))
  visitTests(1, ({ columns, item, seen }) => {
    const scoresOf = (method: JudgedMethod): Float32Array =>
      method === 'served' ? blended(columns, weights) : columns[method]
    addRanks(meters, scoresOf, item, (other) => seen.has(other))
  })
  chosen.transitions.release()
  return {
    blend: { weights, backward },
    quality: byMethod((method) => meters[method].quality(itemCount)),
    ranks: byMethod((method) => meters[method].ranks),
  }
}

/** What each part says of every item: the columns of the features. */
type Columns = Readonly<Record<'model' | 'memory' | 'popularity', Float32Array>>

/** One held-out interaction; the columns are borrowed. */
interface Test {
  readonly columns: Columns
  readonly item: number
  readonly seen: ReadonlySet<number>
}

/** The memory whose direction gives what is held out the largest mean reciprocal rank. */
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

/** All histories, or above a limit those of the held-out users and then of others. */
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

/** Visits every second held-out interaction, from the first or the second on. */
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

// The blend for a model that came from elsewhere, fitted on the latest interactions of the users
// that a recommender knows.

/** Fewer would say little about four weights. */
const minUsers = 100

/**
 * Fits the blend of relevance to each user's latest interaction; null if there are too few users.
 * It is exact if the model has not learned from those interactions, as after `ren train`. Otherwise
 * the model counts more than it should until live interactions correct it.
 */
export function fitServedBlend({
  model,
  state,
}: Pick<Recommender, 'model' | 'state'>): FittedBlend | null {
  const packed = packHistories(state.users, model.itemCount, model.architecture.readsTimes === true)
  const sequences = unpackHistories(packed)
  if (sequences.filter(({ items }) => items.length > 1).length < minUsers) return null
  const random = createRandom('served blend')
  const heldOut = holdOutLatest(sequences, { keys: packed.keys, random })
  return fitBlend({ heldOut, itemCount: model.itemCount, model, random })
}
