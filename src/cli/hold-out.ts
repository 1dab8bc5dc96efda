// The rule of --split. `ren train` and `ren evaluate` split a log by the same rule, so that a model is
// never tested on its training data.

import { InvalidArgumentError } from 'commander'

import { invalid } from '../core/errors.ts'
import { filterRows, type InteractionLog } from '../core/log.ts'
import { splitByPeriod, splitByTime, timeAtFraction, type Split } from '../datasets/index.ts'
import type { TrainingRecord } from './model-file.ts'

/**
 * @param stored The model; null if only baselines are tested.
 * @param digest The digest of the log to test on.
 * @param wanted The split that the user requested, if any.
 * @returns The split, and what could not be checked, as a sentence; null if the split is known to be
 * correct.
 */
export function chooseSplit(
  stored: { readonly training: TrainingRecord | null } | null,
  digest: string,
  wanted: HoldOut | undefined,
) {
  const split = wanted ?? parseHoldOut('last')
  if (stored === null) return { split, caution: null }
  const { training } = stored
  const unsure = (reason: string) => {
    return { split, caution: `${reason}, so it may have seen the targets.` }
  }
  if (training === null) return unsure('The model file does not say what it was trained on')
  if (training.digest !== digest) {
    return unsure(`The model was trained on another log (${training.events})`)
  }
  if (training.split === 'none') {
    throw invalid(
      'the model was trained on all rows of this log; train with --split to hold some out',
    )
  }
  if (wanted !== undefined && wanted.text !== training.split) {
    throw invalid(
      `the model was trained with --split ${training.split}; --split ${wanted.text} would test it on ` +
        'its training data',
    )
  }
  return { split: parseHoldOut(training.split), caution: null }
}

/** A rule that splits a log into training and test data. */
export interface HoldOut {
  /** The rule as text: `none`, `last`, `period=16` or `time=0.1`. */
  readonly text: string
  cut(log: InteractionLog): Split
}

export const holdOutForms = {
  last: "last (each user's last item)",
  time: 'time=F (the last share F of the rows by time)',
  period: 'period=N (the rows of period N; later ones are ignored)',
  none: 'none',
} as const

export function parseHoldOut(text: string): HoldOut {
  const [kind, value = ''] = text.split('=', 2)
  const number = value.trim() === '' ? Number.NaN : Number(value)
  if (text === 'none') return { text, cut: cutNothing }
  if (text === 'last') return { text, cut: cutLast }
  if (kind === 'period' && Number.isSafeInteger(number)) {
    return { text: `period=${number}`, cut: (log) => cutPeriod(log, number) }
  }
  if (kind === 'time' && number > 0 && number < 1) {
    const cut = (log: InteractionLog) => splitByTime(log, timeAtFraction(log, 1 - number))
    return { text: `time=${number}`, cut }
  }
  const forms = Object.values(holdOutForms).join(', ')
  throw new InvalidArgumentError(`Expected one of ${forms}.`)
}

const cutNothing = (log: InteractionLog): Split => ({
  train: log,
  test: { sequences: [], dropped: { unseenItems: 0, withoutTarget: 0 } },
})

function cutPeriod(log: InteractionLog, period: number): Split {
  if (log.periods) return splitByPeriod(log, period)
  throw invalid(`period=${period} needs a log with periods; use last or time=F for this one`)
}

/** Holds out the last row of each user with at least 3 rows, as `leaveOneOut` does. */
function cutLast(log: InteractionLog): Split {
  const { users } = log
  const isLast = (row: number): boolean =>
    users[row - 2] === users[row] && users[row + 1] !== users[row]
  const periods = Int32Array.from(users, (_, row) => Number(isLast(row)))
  return {
    train: filterRows(log, (row) => !isLast(row)),
    test: splitByPeriod({ ...log, periods }, 1).test,
  }
}
