// The published logs of impressions: MIND (behaviors.tsv, lists of shown articles with their clicks)
// and the RecSys Challenge 2019 of trivago (train.csv, where a clickout carries the list on the screen).

import type { BadRows, FieldsOf } from './columns.ts'
import { Columns, everyPart, indexIn, readTable, integerIn, numberIn } from './columns.ts'
import { RecentItems } from './growing.ts'
import { ImpressionBuilder } from './impression-builder.ts'
import type { ImpressionResult } from './impression-builder.ts'
import { parseAmericanTime } from './parse.ts'
import { datasetFiles, locateFile } from './published.ts'
import { readRows } from './read-rows.ts'
import type { ReadOptions, RowReader } from './read-rows.ts'
import { fieldText } from './split-row.ts'
import type { Row } from './split-row.ts'

const format = { delimiter: '\t' }
const names = ['impression', 'user', 'time', 'history', 'shown']
const mindField = { user: 1, time: 2, history: 3, shown: 4 } as const
const [space, hyphen, zero, one] = [0x20, 0x2d, 0x30, 0x31] as const

/**
 * Reads the impressions of the data set MIND from behaviors.tsv, or from the folder that contains
 * it. Times count as UTC.
 */
export async function readMind(
  location: string,
  options: ReadOptions = {},
): Promise<ImpressionResult> {
  const builder = new ImpressionBuilder()
  const file = { ...locateFile(datasetFiles.mind, location), format }
  const skipped = await readRows(file, options, (badRows) => mindRows(builder, badRows))
  return { log: builder.build(), skipped }
}

function mindRows(builder: ImpressionBuilder, badRows: BadRows): RowReader {
  const columns = new Columns(names, format.delimiter, badRows)
  return (row, line) => {
    if (!columns.accept(row, line)) return
    builder.begin()
    const when = parseAmericanTime(fieldText(row, mindField.time))
    if (Number.isNaN(when))
      return columns.reject(row, line, mindField.time, 'a time such as 11/9/2019 9:05:58 AM')
    if (!takeHistory(row, builder))
      return columns.reject(row, line, mindField.history, 'names between spaces')
    if (!takeShown(row, builder) || builder.shownCount === 0) {
      return columns.reject(row, line, mindField.shown, 'a list such as N1-0 N2-1')
    }
    const who = columns.nameIn(row, line, mindField.user, builder.users)
    if (who !== -1) builder.end(who, when)
  }
}

function takeHistory(row: Row, builder: ImpressionBuilder): boolean {
  return everyPart(row, mindField.history, space, (start, end) => {
    const item = start === end ? -1 : builder.items.indexOf(row.bytes, start, end)
    builder.remember(item)
    return item !== -1
  })
}

/** Each part is a name, a hyphen, and 1 if it was clicked or 0 if not. */
function takeShown(row: Row, builder: ImpressionBuilder): boolean {
  const { bytes } = row
  return everyPart(row, mindField.shown, space, (start, end) => {
    const flag = bytes[end - 1]
    if (end - start < 3 || bytes[end - 2] !== hyphen || (flag !== zero && flag !== one))
      return false
    const item = builder.items.indexOf(bytes, start, end - 2)
    builder.show(item, flag === one)
    return item !== -1
  })
}

const required = ['user_id', 'timestamp', 'action_type', 'reference', 'impressions'] as const

const clickout = 'clickout item'
const interaction = 'interaction item'
const bar = 0x7c

/** Items of a user's past that an impression carries. */
const longestHistory = 32

/**
 * Reads train.csv, or the one that a folder holds. Each clickout with a reference is an impression
 * of its list; those whose reference was withheld (in test.csv) are none. A reference that is not
 * in its list leaves the list without a click. The history is what the user clicked out to or
 * interacted with in earlier rows: the last 32, the same item in a row counted once.
 */
export async function readTrivago(
  location: string,
  options: ReadOptions = {},
): Promise<ImpressionResult> {
  const builder = new ImpressionBuilder()
  const table = { ...locateFile(datasetFiles.trivago, location), required }
  const skipped = await readTable(table, options, (columns, fields) =>
    trivagoRows(columns, fields, builder),
  )
  return { log: builder.build(), skipped }
}

function trivagoRows(
  columns: Columns,
  [user, time, action, reference, shown]: FieldsOf<typeof required>,
  builder: ImpressionBuilder,
): RowReader {
  const recent = new RecentItems(longestHistory)

  return (row, line) => {
    if (!columns.accept(row, line)) return
    const what = fieldText(row, action)
    // References are texts in other actions, and now and then missing in these.
    const isOfItem = what === clickout || what.startsWith(interaction)
    if (!isOfItem || integerIn(row, reference, 0) === -1) return
    const who = columns.nameIn(row, line, user, builder.users)
    if (who === -1) return
    const item = indexIn(row, reference, builder.items)
    if (what === clickout) {
      builder.begin()
      const when = numberIn(row, time) * 1000
      if (!Number.isFinite(when)) return columns.reject(row, line, time, 'a number of seconds')
      const listed = everyPart(row, shown, bar, (start, end) => {
        const next = start === end ? -1 : builder.items.indexOf(row.bytes, start, end)
        builder.show(next, next === item)
        return next !== -1
      })
      if (!listed || builder.shownCount === 0)
        return columns.reject(row, line, shown, 'items between bars')
      for (const before of recent.of(who)) builder.remember(before)
      builder.end(who, when)
    }
    recent.add(who, item)
  }
}
