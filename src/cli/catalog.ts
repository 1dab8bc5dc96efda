// Ranks items by name: a model, the baselines and a log share one numbering of items.

import { RenError } from '../core/errors.ts'
import { filterRows } from '../core/log.ts'
import type { InteractionLog, TestSequence } from '../core/log.ts'
import type { CatalogScorer } from '../models/index.ts'
import { count } from './status-line.ts'

/** The scorer, refusing scores that are not finite. */
export function withFiniteScores(scorer: CatalogScorer): CatalogScorer {
  return {
    itemCount: scorer.itemCount,
    scoreTargets(sequences, visit) {
      scorer.scoreTargets(sequences, (sequence, position, scores) => {
        requireFinite(scores)
        visit(sequence, position, scores)
      })
    },
  }
}

function requireFinite(scores: Float32Array): void {
  let broken = 0
  for (let item = 0; item < scores.length; item++) broken += Number(!Number.isFinite(scores[item]))
  if (broken === 0) return
  throw new RenError(
    'non-finite-result',
    'the model gave scores that are not finite, so its weights have grown out of bounds: train with ' +
      'a lower --rate, or bound the gradients with --clip',
  )
}

/** The names of the items that have a row. */
export function catalogOf({ items, itemNames }: InteractionLog): readonly string[] {
  const taken = new Uint8Array(itemNames.length)
  for (const item of items) taken[item] = 1
  return itemNames.filter((_, item) => taken[item] === 1)
}

/** Refuses a catalog in which every ranking is right. */
export function requireChoice(catalog: readonly string[], split: string): void {
  if (catalog.length >= 2) return
  throw new RenError(
    'invalid-argument',
    `expected at least 2 items to choose between, --split ${split} leaves ` +
      `${count(catalog.length, 'item')} to learn from`,
  )
}

/** The place in `catalog` of each of a log's items; −1 where it has no such name. */
export function placesIn(catalog: readonly string[], { itemNames }: InteractionLog): Int32Array {
  const places = new Map(catalog.map((name, place) => [name, place]))
  return Int32Array.from(itemNames, (name) => places.get(name) ?? -1)
}

/** The log with its items numbered as in the catalog, without rows of others. */
export function numberLog(log: InteractionLog, catalog: readonly string[]): InteractionLog {
  const places = placesIn(catalog, log)
  const known = filterRows(log, (row) => places[log.items[row]!]! >= 0)
  return { ...known, items: known.items.map((item) => places[item]!), itemNames: catalog }
}

/** Test sequences numbered as in the catalog, and what had to be dropped for it. */
export interface NumberedSequences {
  readonly sequences: readonly TestSequence[]
  /** Events of items that the catalog does not have. */
  readonly unknown: number
  /** Sequences of which no target was left. */
  readonly withoutTarget: number
}

export function numberSequences(
  sequences: readonly TestSequence[],
  places: Int32Array,
): NumberedSequences {
  const numbered = sequences.map((sequence) => numberSequence(sequence, places))
  const selected = numbered.filter(({ items, firstTarget }) => firstTarget < items.length)
  const countEvents = (of: readonly TestSequence[]) => of.reduce((n, s) => n + s.items.length, 0)
  return {
    sequences: selected,
    unknown: countEvents(sequences) - countEvents(numbered),
    withoutTarget: sequences.length - selected.length,
  }
}

function numberSequence(sequence: TestSequence, places: Int32Array): TestSequence {
  const { user, items, rewards, times, firstTarget } = sequence
  const isKnown = (_: number, row: number): boolean => places[items[row]!]! >= 0
  return {
    user,
    items: items.filter(isKnown).map((item) => places[item]!),
    rewards: rewards.filter(isKnown),
    times: times.filter(isKnown),
    // The first event has nothing before it that it could be predicted from.
    firstTarget: Math.max(1, items.subarray(0, firstTarget).filter(isKnown).length),
  }
}

export function countTargets(sequences: readonly TestSequence[]): number {
  return sequences.reduce((sum, { items, firstTarget }) => sum + items.length - firstTarget, 0)
}
