// What is kept from training, as the command line says it. `ren train` and `ren evaluate` cut the
// same log by the same rule, so that nothing a model is tested on was there to learn from.

import { InvalidArgumentError } from 'commander'

import { RenError } from '../core/errors.ts'
import { filterRows } from '../core/log.ts'
import type { InteractionLog } from '../core/log.ts'
import { splitByPeriod, splitByTime, timeAtFraction } from '../datasets/index.ts'
import type { Split } from '../datasets/index.ts'

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
  test: { sequences: [], dropped: { unseenItems: 0, unseenUsers: 0, withoutTarget: 0 } },
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
