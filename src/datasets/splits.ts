// Splits a log into training data and test sequences. A test sequence includes everything before its
// targets, also the user's training rows.

import { invalid } from '../core/errors.ts'
import {
  byUser,
  filterRows,
  filterSequence,
  type InteractionLog,
  type TestSequence,
} from '../core/log.ts'

/** Sequences for evaluation, and the number of dropped rows and sequences. */
export interface TestSet {
  /** The sequences with a target that is in the training data. */
  readonly sequences: readonly TestSequence[]
  /** What was left out because it cannot be predicted. */
  readonly dropped: {
    /** Rows whose item is not in the training data. */
    readonly unseenItems: number
    /** Sequences whose targets were all dropped. */
    readonly withoutTarget: number
  }
}

/** A training log and a test set; both use the user and item numbers of the whole log. */
export interface Split {
  /** The interactions to train on. */
  readonly train: InteractionLog
  /** The sequences to report metrics on. */
  readonly test: TestSet
}

/** A split with a validation set, for choosing between models. */
export interface LeaveOneOut extends Split {
  /** The sequences for choosing between models; their targets precede those of `test`. */
  readonly validation: TestSet
}

/**
 * Splits a log for next-item evaluation: each user's last row is the test, the row before it
 * validation, the others training. Users with fewer than 3 rows are in training only.
 *
 * @example
 * ```ts
 * import { leaveOneOut, readCsv } from 'ren-recommender/datasets'
 *
 * const { log } = await readCsv('log.csv')
 * const { train, validation, test } = leaveOneOut(log)
 * console.log(train.items.length, validation.sequences.length, test.sequences.length)
 * ```
 */
export function leaveOneOut(log: InteractionLog): LeaveOneOut {
  const stages = new Uint8Array(log.users.length)
  for (let row = 2; row < stages.length; row++) {
    const user = log.users[row]
    if (log.users[row - 2] === user && log.users[row + 1] !== user) stages.set([1, 2], row - 1)
  }
  const train = filterRows(log, (row) => stages[row] === 0)
  return {
    train,
    validation: createTestSet(log, stages, 1, train),
    test: createTestSet(log, stages, 2, train),
  }
}

/**
 * Splits a log by time: rows before `boundary` (milliseconds since 1970) train, the others test.
 *
 * @example
 * ```ts
 * import { readCsv, splitByTime, timeAtFraction } from 'ren-recommender/datasets'
 *
 * const { log } = await readCsv('log.csv')
 * const { train, test } = splitByTime(log, timeAtFraction(log, 0.8))
 * ```
 */
export function splitByTime(log: InteractionLog, boundary: number): Split {
  const stages = Uint8Array.from(log.times, (time) => (time < boundary ? 0 : 1))
  return split(log, stages)
}

/**
 * Splits a log by period: rows of earlier periods train, rows of `testPeriod` test, later rows are
 * dropped.
 */
export function splitByPeriod(log: InteractionLog, testPeriod: number): Split {
  if (!log.periods) {
    throw invalid('splitByPeriod: the log has no periods')
  }
  const stages = Uint8Array.from(log.periods, (period) => 1 + Math.sign(period - testPeriod))
  return split(log, stages)
}

/**
 * Returns the time before which `fraction` of the rows lie, as a boundary for {@link splitByTime}.
 */
export function timeAtFraction(log: InteractionLog, fraction: number): number {
  const sorted = log.times.toSorted()
  return sorted[Math.floor(fraction * sorted.length)] ?? Number.POSITIVE_INFINITY
}

/** Stage 0 trains, stage 1 tests. */
function split(log: InteractionLog, stages: Uint8Array): Split {
  const train = filterRows(log, (row) => stages[row] === 0)
  return { train, test: createTestSet(log, stages, 1, train) }
}

/** Creates the sequences of the rows up to a stage; the rows of that stage are the targets. */
function createTestSet(
  log: InteractionLog,
  stages: Uint8Array,
  stage: number,
  train: InteractionLog,
): TestSet {
  const seenItems = new Uint8Array(log.itemNames.length)
  for (const item of train.items) seenItems[item] = 1
  const historyLengths = countBefore(log, stages, stage)
  const sequences: TestSequence[] = []
  const dropped = { unseenItems: 0, withoutTarget: 0 }
  for (const whole of byUser(filterRows(log, (row) => stages[row]! <= stage))) {
    const firstTarget = historyLengths[whole.user]!
    if (firstTarget === whole.items.length) continue
    const known = filterSequence({ ...whole, firstTarget }, (item) => seenItems[item] === 1)
    dropped.unseenItems += whole.items.length - known.items.length
    if (known.firstTarget < known.items.length) sequences.push(known)
    else dropped.withoutTarget += 1
  }
  return { sequences, dropped }
}

/** Counts each user's rows before a stage. A user's stages must not decrease over time. */
function countBefore(log: InteractionLog, stages: Uint8Array, stage: number): Int32Array {
  const counts = new Int32Array(log.userNames.length)
  for (let row = 0; row < stages.length; row++) {
    const user = log.users[row]!
    if (log.users[row - 1] === user && stages[row]! < stages[row - 1]!) {
      throw invalid(
        `the periods of a user must not decrease over time, but those of ${log.userNames[user]} do`,
      )
    }
    if (stages[row]! < stage) counts[user]! += 1
  }
  return counts
}
