// Matches items by name, so that a model, the baselines and a log share one numbering of items.

import { invalid, RenError } from '../core/errors.ts'
import { filterRows, filterSequence, type InteractionLog, type TestSequence } from '../core/log.ts'
import type { CatalogScorer } from '../models/index.ts'
import { count } from './status-line.ts'

/** The scorer with a check that every score is finite. */
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
  // Without a callback, because this runs for every item of every target.
  let broken = 0
  for (let item = 0; item < scores.length; item++) broken += Number(!Number.isFinite(scores[item]))
  if (broken === 0) return
  throw new RenError(
    'non-finite-result',
    'the model computed scores that are not finite because its weights diverged; train with a lower ' +
      '--rate, or limit the gradients with --clip',
  )
}

/** The names of the items that have a row. */
export function catalogOf({ items, itemNames }: InteractionLog): readonly string[] {
  const used = new Set(items)
  return itemNames.filter((_, item) => used.has(item))
}

/** Refuses a catalog of fewer than two items, in which every ranking is correct. */
export function requireTwoItems(catalog: readonly string[], split: string): void {
  if (catalog.length >= 2) return
  throw invalid(
    `there must be at least 2 items to rank, but --split ${split} leaves ` +
      `${count(catalog.length, 'item')} to train on`,
  )
}

/** The index in `catalog` of each item of a log; −1 if the catalog does not have it. */
export function placesIn(catalog: readonly string[], { itemNames }: InteractionLog): Int32Array {
  const places = new Map(catalog.map((name, place) => [name, place]))
  return Int32Array.from(itemNames, (name) => places.get(name) ?? -1)
}

/** The log with its items numbered as in the catalog, without rows of other items. */
export function numberLog(log: InteractionLog, catalog: readonly string[]): InteractionLog {
  const places = placesIn(catalog, log)
  const known = filterRows(log, (row) => places[log.items[row]!]! >= 0)
  return { ...known, items: known.items.map((item) => places[item]!), itemNames: catalog }
}

/** Test sequences numbered as in the catalog, and what was dropped. */
export function numberSequences(sequences: readonly TestSequence[], places: Int32Array) {
  const numbered = sequences.map((sequence) => {
    const known = filterSequence(sequence, (item) => places[item]! >= 0)
    return { ...known, items: known.items.map((item) => places[item]!) }
  })
  const selected = numbered.filter(({ items, firstTarget }) => firstTarget < items.length)
  const countEvents = (of: readonly TestSequence[]) => of.reduce((n, s) => n + s.items.length, 0)
  return {
    sequences: selected,
    /** Events of items that the catalog does not have. */
    unknown: countEvents(sequences) - countEvents(numbered),
    /** Sequences that lost all their targets. */
    withoutTarget: sequences.length - selected.length,
  }
}

export function countTargets(sequences: readonly TestSequence[]): number {
  return sequences.reduce((sum, { items, firstTarget }) => sum + items.length - firstTarget, 0)
}
