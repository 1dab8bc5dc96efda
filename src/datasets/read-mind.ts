// Reads the impressions of MIND: behaviors.tsv, lists of shown articles with clicks.

import { Columns, partsOf, type BadRows } from './columns.ts'
import {
  buildImpressions,
  type ImpressionBuilder,
  type ImpressionResult,
} from './read-impressions.ts'
import { parseAmericanTime } from './parse.ts'
import { locateFile, mindFile } from './published.ts'
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
  const file = { ...locateFile(mindFile, location), format }
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
