// Any log of impressions as CSV: one row a shown item, with the impression it belongs to.

import { sortImpressions } from '../core/impression-log.ts'
import type { Columns, FieldsOf } from './columns.ts'
import { readTable, numberIn } from './columns.ts'
import { GrowingColumn } from './growing.ts'
import type { ImpressionResult } from './impression-builder.ts'
import { NameTable } from './name-table.ts'
import { millisecondsPer } from './read-log.ts'
import type { TimeUnit } from './read-log.ts'
import type { ReadOptions, RowReader } from './read-rows.ts'

const required = ['user', 'item', 'clicked', 'time', 'impression'] as const

/**
 * Reads CSV whose header names the columns user, item, clicked (1 or 0), time and impression, in
 * any order. Rows of one impression need not be neighbours; they list its items in their order,
 * must have one user, and the first gives the time. Histories are empty.
 */
export async function readImpressionCsv(
  path: string,
  { timeUnit = 'milliseconds', ...options }: ReadOptions & { readonly timeUnit?: TimeUnit } = {},
): Promise<ImpressionResult> {
  const rows = createShownRows()
  const skipped = await readTable({ path, required }, options, (columns, fields) =>
    createRowReader(columns, fields, timeUnit, rows),
  )
  return { log: sortImpressions(groupRows(rows)), skipped }
}

type ShownRows = ReturnType<typeof createShownRows>

/** A row for each shown item, and what the first row of each impression says of it. */
function createShownRows() {
  return {
    userTable: new NameTable(),
    itemTable: new NameTable(),
    impressionTable: new NameTable(),
    users: new GrowingColumn(Int32Array),
    times: new GrowingColumn(Float64Array),
    impressions: new GrowingColumn(Int32Array),
    items: new GrowingColumn(Int32Array),
    clicked: new GrowingColumn(Uint8Array),
  }
}

function createRowReader(
  columns: Columns,
  [user, item, clicked, time, impression]: FieldsOf<typeof required>,
  timeUnit: TimeUnit,
  rows: ShownRows,
): RowReader {
  const scale = millisecondsPer[timeUnit]

  return (row, line) => {
    if (!columns.accept(row, line)) return
    const flag = numberIn(row, clicked)
    if (flag !== 0 && flag !== 1) return columns.reject(row, line, clicked, '1 or 0')
    const when = numberIn(row, time) * scale
    if (!Number.isFinite(when)) return columns.reject(row, line, time, `a number of ${timeUnit}`)
    const who = columns.nameIn(row, line, user, rows.userTable)
    if (who === -1) return
    const what = columns.nameIn(row, line, item, rows.itemTable)
    if (what === -1) return
    const which = columns.nameIn(row, line, impression, rows.impressionTable)
    if (which === -1) return
    if (which === rows.users.length) {
      rows.users.push(who)
      rows.times.push(when)
    } else if (rows.users.at(which) !== who) {
      return columns.reject(row, line, user, 'the user of the impression’s first row')
    }
    rows.impressions.push(which)
    rows.items.push(what)
    rows.clicked.push(flag)
  }
}

/** Brings the rows of each impression together; they keep their order. */
function groupRows({ userTable, itemTable, ...columns }: ShownRows) {
  const users = columns.users.values()
  const impressions = columns.impressions.values()
  const offsets = new Int32Array(users.length + 1)
  for (const impression of impressions) offsets[impression + 1]! += 1
  for (let at = 0; at < users.length; at++) offsets[at + 1]! += offsets[at]!
  const next = offsets.slice()
  const places = impressions.map((impression) => next[impression]!++)
  const values = new Int32Array(places.length)
  const clicked = new Uint8Array(places.length)
  places.forEach((place, row) => {
    values[place] = columns.items.at(row)!
    clicked[place] = columns.clicked.at(row)!
  })
  return {
    users,
    times: columns.times.values(),
    shown: { offsets, values },
    clicked,
    histories: { offsets: new Int32Array(users.length + 1), values: new Int32Array(0) },
    userNames: userTable.names,
    itemNames: itemTable.names,
  }
}
