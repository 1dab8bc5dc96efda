// The rule of --split. `ren train` and `ren evaluate` cut a log by the same rule, so that a model is
// never tested on rows that it was trained on.

import { InvalidArgumentError } from 'commander'

import { RenError } from '../core/errors.ts'
import { filterRows } from '../core/log.ts'
import type { InteractionLog } from '../core/log.ts'
import { splitByPeriod, splitByTime, timeAtFraction } from '../datasets/index.ts'
import type { Split } from '../datasets/index.ts'
import type { TrainingRecord } from './model-file.ts'

export interface ChosenSplit {
  readonly split: HoldOut
  /** What could not be checked, in a sentence; null where the split is known to be right. */
  readonly caution: string | null
}

/**
 * `stored` is the model, null where only baselines are tested; `digest` that of the log to test on;
 * `wanted` what the user asked for, if anything.
 */
export function chooseSplit(
  stored: { readonly training: TrainingRecord | null } | null,
  digest: string,
  wanted: HoldOut | undefined,
): ChosenSplit {
  const split = wanted ?? parseHoldOut('last')
  if (stored === null) return { split, caution: null }
  const { training } = stored
  if (training === null) {
    const caution = 'The model file does not say what it was trained on; targets may be among it.'
    return { split, caution }
  }
  if (training.digest !== digest) {
    const caution = `The model was trained on another log (${training.events}); targets may be among it.`
    return { split, caution }
  }
  if (training.split === 'none') {
    throw leak('the model was trained on all rows of this log: train it with --split to test it')
  }
  if (wanted !== undefined && wanted.text !== training.split) {
    throw leak(
      `the model was trained with --split ${training.split}: tested with --split ${wanted.text} it ` +
        'would be asked for rows that it has seen',
    )
  }
  return { split: parseHoldOut(training.split), caution: null }
}

const leak = (message: string): RenError => new RenError('invalid-argument', message)

/** A rule that cuts a log in two. */
export interface HoldOut {
  /** The rule as it is written: `none`, `last`, `period=16`, `time=0.1`. */
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
  throw new RenError(
    'invalid-argument',
    `period=${period} is for logs that come in periods, and this one has none: hold out by last ` +
      'or time=F',
  )
}

/** Each user's last row is held out; users of under 3 rows train, as in `leaveOneOut`. */
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
