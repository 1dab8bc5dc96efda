// Any log of impressions as CSV: one row per shown item, with the impression that it belongs to.

import type { Columns, FieldsOf } from './columns.ts'
import { readTable, numberIn } from './columns.ts'
import { ImpressionBuilder } from './impression-builder.ts'
import type { ImpressionResult } from './impression-builder.ts'
import { NameTable } from './name-table.ts'
import { millisecondsPer } from './read-log.ts'
import type { TimeUnit } from './read-log.ts'
import type { ReadOptions, RowReader } from './read-rows.ts'

const required = ['user', 'item', 'clicked', 'time', 'impression'] as const

/** An impression whose rows are being gathered. */
interface Gathered {
  readonly user: number
  readonly time: number
  readonly items: number[]
  readonly clicks: boolean[]
}

/**
 * Reads CSV whose header names the columns user, item, clicked (1 or 0), time and impression, in
 * any order. Rows of one impression need not be neighbours; they list its items in their order,
 * must have one user, and the first gives the time. Histories are empty.
 */
export async function readImpressionCsv(
  path: string,
  { timeUnit = 'milliseconds', ...options }: ReadOptions & { readonly timeUnit?: TimeUnit } = {},
): Promise<ImpressionResult> {
  const builder = new ImpressionBuilder()
  const impressions: Gathered[] = []
  const skipped = await readTable({ path, required }, options, (columns, fields) =>
    createRowReader(columns, fields, timeUnit, builder, impressions),
  )
  for (const { user, time, items, clicks } of impressions) {
    for (const [slot, item] of items.entries()) builder.show(item, clicks[slot]!)
    builder.end(user, time)
  }
  return { log: builder.build(), skipped }
}

function createRowReader(
  columns: Columns,
  [user, item, clicked, time, impression]: FieldsOf<typeof required>,
  timeUnit: TimeUnit,
  { users, items }: ImpressionBuilder,
  impressions: Gathered[],
): RowReader {
  const scale = millisecondsPer[timeUnit]
  const names = new NameTable()

  return (row, line) => {
    if (!columns.accept(row, line)) return
    const flag = numberIn(row, clicked)
    if (flag !== 0 && flag !== 1) return columns.reject(row, line, clicked, '1 or 0')
    const when = numberIn(row, time) * scale
    if (!Number.isFinite(when)) return columns.reject(row, line, time, `a number of ${timeUnit}`)
    const who = columns.nameIn(row, line, user, users)
    if (who === -1) return
    const what = columns.nameIn(row, line, item, items)
    if (what === -1) return
    const which = columns.nameIn(row, line, impression, names)
    if (which === -1) return
    const known = (impressions[which] ??= { user: who, time: when, items: [], clicks: [] })
    if (known.user !== who) {
      return columns.reject(row, line, user, 'the user of the impression’s first row')
    }
    known.items.push(what)
    known.clicks.push(flag === 1)
  }
}
