// Chooses how the transition memory counts, from held-out interactions: the backward share of
// transitions, then their normalization.

import { mean, standardError, sum } from '../core/statistics.ts'
import {
  Memory,
  Transitions,
  defaultBlend,
  memoryRuleWith,
  normalizations,
} from '../relevance/index.ts'
import type { Backward } from '../relevance/index.ts'
import { heldOutRank, type HeldOut } from './held-out.ts'

/**
 * Maximum number of interactions that choose `backward`. A sparse sample overrates backward
 * transitions: 200,000 of the million interactions of MovieLens-1M chose 0.5, although 0 and 0.25
 * are best.
 */
const maxSampled = 3_000_000
/** The minimum number of held-out interactions for that choice. */
const minTests = 300
/** How many of their latest interactions each held-out user contributes if there are few users. */
const maxLatest = 10
const candidates: readonly Backward[] = [0, 0.25, 0.5, 1]

/** Counts the memory that suits the log: the backward share first, then the normalization. */
export function chooseMemory(heldOut: HeldOut, itemCount: number): Memory {
  const { tests, training } = heldOut
  if (tests.length < minTests) {
    return memoryOf(countAll(training, chooseBackward(heldOut, itemCount)))
  }
  const sample = sampleOf(heldOut)
  let best: { readonly transitions: Transitions; readonly mrr: number } | null = null
  for (const backward of candidates) {
    const transitions = countAll(sample, backward)
    const mrr = mean(reciprocalRanks(memoryOf(transitions), heldOut, itemCount))
    if (best !== null && mrr <= best.mrr) transitions.release()
    else {
      best?.transitions.release()
      best = { transitions, mrr }
    }
  }
  let { transitions } = best!
  if (sample !== training) {
    transitions.release()
    transitions = countAll(training, transitions.backward)
  }
  // On MovieLens and Diginetica the default remains (docs/decisions/0008).
  const chosen = bestBeyondNoise(normalizations, (normalization) =>
    reciprocalRanks(memoryOf(transitions, normalization), heldOut, itemCount),
  )
  return memoryOf(transitions, chosen)
}

function countAll(sequences: Sequences, backward: Backward): Transitions {
  const transitions = new Transitions(backward)
  transitions.countAll(sequences.map(({ items }) => items))
  return transitions
}

const memoryOf = (transitions: Transitions, normalization = defaultBlend.normalization): Memory =>
  new Memory(transitions, memoryRuleWith(normalization))

/**
 * Returns the option with the largest mean gain over the first, or the first if no gain exceeds the
 * noise.
 *
 * @param valuesOf Paired values of an option.
 */
function bestBeyondNoise<Option extends object | number>(
  [first, ...others]: readonly Option[],
  valuesOf: (option: Option) => readonly number[],
): Option {
  const standard = valuesOf(first!)
  let best = { option: first!, gain: 0 }
  for (const option of others) {
    const gains = valuesOf(option).map((one, test) => one - standard[test]!)
    const gain = mean(gains)
    if (gain > Math.max(best.gain, 2 * standardError(gains))) best = { option, gain }
  }
  return best.option
}

/**
 * Chooses the backward share for a log of few users. Ranks several of the latest interactions of each
 * held-out user, each before it is counted, and departs from the default only beyond noise.
 */
function chooseBackward({ training, tests, excludeHistory }: HeldOut, itemCount: number): Backward {
  const { backward: usual } = defaultBlend
  const latest = tests.map(({ items }) => Math.min(maxLatest, Math.floor(items.length / 3)))
  if (sum(latest) < minTests) return usual
  const ends = new Map(tests.map(({ user, items }, test) => [user, items.length - latest[test]!]))
  const earlier = training.map((history, user) => ({
    items: history.items.subarray(0, ends.get(user)),
  }))
  const scores = new Float32Array(itemCount)
  const others = candidates.filter((backward) => backward !== usual)
  return bestBeyondNoise([usual, ...others], (backward) => {
    const transitions = countAll(earlier, backward)
    const memory = memoryOf(transitions)
    // One sum per user, because the interactions of a user are not independent.
    const sums = tests.map(({ user, items }) => {
      let reciprocals = 0
      for (let at = ends.get(user)!; at < items.length; at++) {
        fill(scores, memory, items.subarray(0, at), (score) => score)
        reciprocals += 1 / heldOutRank(scores, items, at, excludeHistory)
        transitions.count(items, at, at + 1, 1)
      }
      return reciprocals
    })
    transitions.release()
    return sums
  })
}

/** Returns 1/rank of each held-out interaction by the memory alone. */
function reciprocalRanks(
  memory: Memory,
  { tests, excludeHistory }: HeldOut,
  itemCount: number,
): readonly number[] {
  const scores = new Float32Array(itemCount)
  return tests.map(({ items }) => {
    const last = items.length - 1
    fill(scores, memory, items.subarray(0, last), (score) => score)
    return 1 / heldOutRank(scores, items, last, excludeHistory)
  })
}

type Sequences = readonly Pick<HeldOut['training'][number], 'items'>[]

/**
 * Returns all histories. Above a limit, returns those of the held-out users, then some of the
 * others.
 */
function sampleOf({ training, tests }: HeldOut): Sequences {
  const interactions = sum(training.map(({ items }) => items.length))
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

/** Writes a value per item, computed from the score that the memory gives it; 0 without one. */
export function fill(
  scores: Float32Array,
  memory: Memory,
  history: Int32Array,
  feature: (score: number) => number,
): void {
  scores.fill(0)
  const { items, values } = memory.score(history)
  for (let i = 0; i < items.length; i++) scores[items[i]!] = feature(values[i]!)
}
