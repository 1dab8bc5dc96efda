// What an action earns where it was not shown: a table of shrunken means, and cross-fitting, so
// that no row is predicted by a model that has seen its reward.

import type { BanditLog } from '../../core/log.ts'
import { RenError, invalid } from '../../core/errors.ts'
import type { Random } from '../../core/random.ts'
import { requireBanditLog } from './problem.ts'

/** The expected reward of `action` in the context and position of `row`. */
export type RewardModel = (row: number, action: number) => number

/** Learns a model from the given rows of a log; it is then asked for other rows. */
export type RewardLearner = (log: BanditLog, rows: Int32Array) => RewardModel

/** Settings of cross-fitting. */
export interface CrossFitOptions {
  /** Parts of the log, each predicted by a model of all the others. */
  readonly folds?: number
  readonly learner?: RewardLearner
}

/** A model for the rows of this log, each predicted from the folds that it is not in. */
export function crossFitRewards(
  log: BanditLog,
  random: Random,
  { folds = 5, learner = tabularRewards() }: CrossFitOptions = {},
): RewardModel {
  requireBanditLog(log)
  const rows = Int32Array.from(log.actions.keys())
  if (!Number.isSafeInteger(folds) || folds < 2 || folds > rows.length) {
    throw invalid(
      `crossFitRewards: expected 2 to ${rows.length} folds for ${rows.length} rows, got ${folds}`,
    )
  }
  const foldOf = rows.map((row) => row % folds)
  random.shuffle(foldOf)
  const models = Array.from({ length: folds }, (_, fold) =>
    learner(
      log,
      rows.filter((row) => foldOf[row] !== fold),
    ),
  )
  return (row, action) => {
    const model = models[foldOf[row] ?? folds]
    if (model) return model(row, action)
    throw new RenError(
      'index-out-of-range',
      `crossFitRewards: the model is of ${rows.length} rows and was asked for row ${row}`,
    )
  }
}

/**
 * Learns a table: the mean reward of an action in a context and position, drawn towards the
 * action's mean anywhere as if by `shrinkage` further rows of it, and that towards the mean of all.
 */
export function tabularRewards({ shrinkage = 10 } = {}): RewardLearner {
  if (!(shrinkage > 0 && shrinkage < Infinity)) {
    throw invalid(`shrinkage must be positive, got ${shrinkage}`)
  }
  return (log, rows) => {
    if (rows.length === 0) {
      throw invalid('tabularRewards: expected rows to learn from, got none')
    }
    const { rewards, contexts, positions, positionCount, actionCount } = log
    const cell: Key = (row, action) =>
      (contexts[row]! * positionCount + positions[row]!) * actionCount + action
    const overall = rows.reduce((sum, row) => sum + rewards[row]!, 0) / rows.length
    const levels = [(_row: number, action: number) => action, cell].map((key) => ({
      key,
      tallies: tally(log, rows, key),
    }))
    return (row, action) =>
      levels.reduce((coarser, { key, tallies }) => {
        const found = tallies.get(key(row, action))
        return found ? (found.sum + shrinkage * coarser) / (found.count + shrinkage) : coarser
      }, overall)
  }
}

type Key = (row: number, action: number) => number

interface Tally {
  sum: number
  count: number
}

/** Rewards of the rows, summed and counted by key. */
function tally({ actions, rewards }: BanditLog, rows: Int32Array, keyOf: Key): Map<number, Tally> {
  const tallies = new Map<number, Tally>()
  for (const row of rows) {
    const key = keyOf(row, actions[row]!)
    const found = tallies.get(key) ?? { sum: 0, count: 0 }
    found.sum += rewards[row]!
    found.count += 1
    tallies.set(key, found)
  }
  return tallies
}
