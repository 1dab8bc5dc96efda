// Reads a log of impressions from CSV, with one row per shown item.

import { readTable, numberIn, type Columns, type FieldsOf } from './columns.ts'
import {
  buildImpressions,
  type ImpressionBuilder,
  type ImpressionResult,
} from './impression-builder.ts'
import { NameTable } from './name-table.ts'
import { millisecondsPer, type TimeUnit } from './read-log.ts'
import type { ReadOptions, RowReader } from './read-rows.ts'

const required = ['user', 'item', 'clicked', 'time', 'impression'] as const

/** An impression whose rows are collected. */
interface PartialImpression {
  readonly user: number
  readonly time: number
  readonly items: number[]
  readonly clicks: boolean[]
}

/**
 * Reads CSV whose header names the columns user, item, clicked (1 or 0), time and impression, in
 * any order. The rows of one impression may be anywhere in the file, in the order of its slots. They
 * must have the same user, and the first row sets the time. Histories are empty.
 */
export async function readImpressionCsv(
  path: string,
  { timeUnit = 'milliseconds', ...options }: ReadOptions & { readonly timeUnit?: TimeUnit } = {},
): Promise<ImpressionResult> {
  return buildImpressions(async (builder) => {
    const impressions: PartialImpression[] = []
    const skipped = await readTable({ path, required }, options, (columns, fields) =>
      createRowReader(columns, fields, timeUnit, builder, impressions),
    )
    for (const { user, time, items, clicks } of impressions) {
      for (const [slot, item] of items.entries()) builder.show(item, clicks[slot]!)
      builder.end(user, time)
    }
    return skipped
  })
}

function createRowReader(
  columns: Columns,
  [user, item, clicked, time, impression]: FieldsOf<typeof required>,
  timeUnit: TimeUnit,
  { users, items }: ImpressionBuilder,
  impressions: PartialImpression[],
): RowReader {
  const scale = millisecondsPer[timeUnit]
  const names = new NameTable()

  return (row, line) => {
    if (!columns.accept(row, line)) return
    const flag = numberIn(row, clicked)
    if (flag !== 0 && flag !== 1) return columns.reject(row, line, clicked, '1 or 0')
    const ms = numberIn(row, time) * scale
    if (!Number.isFinite(ms)) return columns.reject(row, line, time, `a number of ${timeUnit}`)
    const userIndex = columns.nameIn(row, line, user, users)
    if (userIndex === -1) return
    const itemIndex = columns.nameIn(row, line, item, items)
    if (itemIndex === -1) return
    const impressionIndex = columns.nameIn(row, line, impression, names)
    if (impressionIndex === -1) return
    const gathered = (impressions[impressionIndex] ??= {
      user: userIndex,
      time: ms,
      items: [],
      clicks: [],
    })
    if (gathered.user !== userIndex) {
      return columns.reject(row, line, user, 'the user of the impression’s first row')
    }
    gathered.items.push(itemIndex)
    gathered.clicks.push(flag === 1)
  }
}
