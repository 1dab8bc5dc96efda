// Chooses how the transition memory counts, from held-out interactions: the backward share of
// transitions, then their normalization.

import { rankOf } from '../core/rank.ts'
import { mean, standardError } from '../core/statistics.ts'
import {
  Memory,
  Transitions,
  defaultBlend,
  memoryRuleWith,
  normalizations,
} from '../relevance/index.ts'
import type { Backward, Normalization } from '../relevance/index.ts'
import type { HeldOut } from './held-out.ts'

/**
 * Maximum number of interactions that choose `backward`. A sparse sample overrates backward
 * transitions: 200,000 of the million interactions of MovieLens-1M chose 0.5, although 0 and 0.25
 * are best.
 */
const maxSampled = 3_000_000
/** The minimum number of held-out users for that choice. */
const fewestTests = 300
const candidates: readonly Backward[] = [0, 0.25, 0.5, 1]

/** Counts the memory that suits the log: the backward share first, then the normalization. */
export function chooseMemory(heldOut: HeldOut, itemCount: number): Memory {
  const { normalization: first } = defaultBlend
  const count = (sequences: Sequences, backward: Backward): Transitions => {
    const transitions = new Transitions(backward)
    transitions.countAll(sequences.map(({ items }) => items))
    return transitions
  }
  const memoryOf = (transitions: Transitions, normalization: Normalization): Memory =>
    new Memory(transitions, memoryRuleWith(normalization))
  const { tests, training } = heldOut
  if (tests.length < fewestTests) return memoryOf(count(training, defaultBlend.backward), first)
  const sample = sampleOf(heldOut)
  let best: { readonly transitions: Transitions; readonly mrr: number } | null = null
  for (const backward of candidates) {
    const transitions = count(sample, backward)
    const mrr = mean(reciprocalRanks(memoryOf(transitions, first), heldOut, itemCount))
    if (best !== null && mrr <= best.mrr) transitions.release()
    else {
      best?.transitions.release()
      best = { transitions, mrr }
    }
  }
  let { transitions } = best!
  if (sample !== training) {
    transitions.release()
    transitions = count(training, transitions.backward)
  }
  return memoryOf(transitions, chooseNormalization(transitions, heldOut, itemCount))
}

/**
 * Chooses the normalization with the largest gain over the default, if it exceeds the noise. On
 * MovieLens and Diginetica the default remains (docs/decisions/0008).
 */
function chooseNormalization(
  transitions: Transitions,
  heldOut: HeldOut,
  itemCount: number,
): Normalization {
  const ranksOf = (normalization: Normalization): readonly number[] =>
    reciprocalRanks(new Memory(transitions, memoryRuleWith(normalization)), heldOut, itemCount)
  const [first, ...others] = normalizations
  const standard = ranksOf(first!)
  let best = { normalization: first!, gain: 0 }
  for (const normalization of others) {
    const gains = ranksOf(normalization).map((one, test) => one - standard[test]!)
    const gain = mean(gains)
    if (gain > Math.max(best.gain, 2 * standardError(gains))) best = { normalization, gain }
  }
  return best.normalization
}

/** Returns 1/rank of each held-out interaction by the memory alone. */
function reciprocalRanks(
  memory: Memory,
  { tests, excludeHistory }: HeldOut,
  itemCount: number,
): readonly number[] {
  const scores = new Float32Array(itemCount)
  return tests.map(({ items }) => {
    const history = items.subarray(0, -1)
    const seen = new Set(excludeHistory ? history : [])
    fill(scores, memory, history, (score) => score)
    return 1 / rankOf(scores, items[items.length - 1]!, (item) => seen.has(item))
  })
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
