// Readers of published impression logs: MIND (behaviors.tsv, lists of shown articles with clicks) and
// the RecSys Challenge 2019 of trivago (train.csv, where each clickout includes the shown list).

import type { BadRows, FieldsOf } from './columns.ts'
import { Columns, partsOf, readTable, integerIn, numberIn } from './columns.ts'
import { RecentItems } from './growing.ts'
import {
  buildImpressions,
  type ImpressionBuilder,
  type ImpressionResult,
} from './read-impressions.ts'
import { parseAmericanTime } from './parse.ts'
import { datasetFiles, locateFile } from './published.ts'
import { readRows, type ReadOptions, type RowReader } from './read-rows.ts'
import { fieldText, type Row } from './split-row.ts'

const format = { delimiter: '\t' }
const names = ['impression', 'user', 'time', 'history', 'shown']
const mindField = { user: 1, time: 2, history: 3, shown: 4 } as const

/**
 * Reads the impressions of the dataset MIND from behaviors.tsv, or from the folder that contains
 * it. Times count as UTC.
 */
export async function readMind(
  location: string,
  options: ReadOptions = {},
): Promise<ImpressionResult> {
  const file = { ...locateFile(datasetFiles.mind, location), format }
  return buildImpressions((builder) =>
    readRows(file, options, (badRows) => mindRows(builder, badRows)),
  )
}

function mindRows(builder: ImpressionBuilder, badRows: BadRows): RowReader {
  const columns = new Columns(names, format.delimiter, badRows)
  return (row, line) => {
    if (!columns.accept(row, line)) return
    builder.begin()
    const shownAt = parseAmericanTime(fieldText(row, mindField.time))
    if (Number.isNaN(shownAt))
      return columns.reject(row, line, mindField.time, 'a time such as 11/9/2019 9:05:58 AM')
    if (!readHistory(row, builder))
      return columns.reject(row, line, mindField.history, 'names between spaces')
    if (!readShown(row, builder) || builder.shownCount === 0) {
      return columns.reject(row, line, mindField.shown, 'a list such as N1-0 N2-1')
    }
    const userIndex = columns.nameIn(row, line, mindField.user, builder.users)
    if (userIndex !== -1) builder.end(userIndex, shownAt)
  }
}

function readHistory(row: Row, builder: ImpressionBuilder): boolean {
  return partsOf(row, mindField.history, ' ').every((name) => {
    const item = builder.items.indexOf(name)
    builder.remember(item)
    return item !== -1
  })
}

/** Each part is a name, a hyphen, and 1 if the item was clicked, else 0. */
function readShown(row: Row, builder: ImpressionBuilder): boolean {
  return partsOf(row, mindField.shown, ' ').every((part) => {
    const isClicked = part.endsWith('-1')
    const item = isClicked || part.endsWith('-0') ? builder.items.indexOf(part.slice(0, -2)) : -1
    builder.show(item, isClicked)
    return item !== -1
  })
}

const required = ['user_id', 'timestamp', 'action_type', 'reference', 'impressions'] as const

const clickout = 'clickout item'
const interaction = 'interaction item'
const bar = '|'

/** The maximum number of items in the history of an impression. */
const longestHistory = 32

/**
 * Reads train.csv, or the folder that contains it. Each clickout with a reference is an impression
 * of its list; clickouts without a reference (in test.csv) are ignored. If the reference is not in
 * the list, the list has no click. The history is the last 32 items of the user's clickouts and item
 * interactions in earlier rows, without consecutive repeats.
 */
export async function readTrivago(
  location: string,
  options: ReadOptions = {},
): Promise<ImpressionResult> {
  const table = { ...locateFile(datasetFiles.trivago, location), required }
  return buildImpressions((builder) =>
    readTable(table, options, (columns, fields) => trivagoRows(columns, fields, builder)),
  )
}

function trivagoRows(
  columns: Columns,
  [user, time, action, reference, shown]: FieldsOf<typeof required>,
  builder: ImpressionBuilder,
): RowReader {
  const recent = new RecentItems(longestHistory)

  return (row, line) => {
    if (!columns.accept(row, line)) return
    const kind = fieldText(row, action)
    // In other actions, references are not items. In these actions, they are sometimes missing.
    const isOfItem = kind === clickout || kind.startsWith(interaction)
    if (!isOfItem || integerIn(row, reference, 0) === -1) return
    const userIndex = columns.nameIn(row, line, user, builder.users)
    if (userIndex === -1) return
    const item = builder.items.indexOf(row[reference]!)
    if (kind === clickout) {
      builder.begin()
      const shownAt = numberIn(row, time) * 1000
      if (!Number.isFinite(shownAt)) return columns.reject(row, line, time, 'a number of seconds')
      const isList = partsOf(row, shown, bar).every((name) => {
        const next = builder.items.indexOf(name)
        builder.show(next, next === item)
        return next !== -1
      })
      if (!isList || builder.shownCount === 0)
        return columns.reject(row, line, shown, 'items between bars')
      for (const before of recent.of(userIndex)) builder.remember(before)
      builder.end(userIndex, shownAt)
    }
    recent.add(userIndex, item)
  }
}
