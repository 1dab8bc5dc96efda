// Reads the impressions of MIND: behaviors.tsv, lists of shown articles with clicks.

import { Columns, type BadRows } from '../../src/datasets/columns.ts'
import {
  buildImpressions,
  partsOf,
  type ImpressionBuilder,
  type ImpressionResult,
} from '../impressions/read-impressions.ts'
import { locateFile, type DatasetFile } from '../../src/datasets/published.ts'
import { readRows, type ReadOptions, type RowReader } from '../../src/datasets/read-rows.ts'
import { fieldText, type Row } from '../../src/datasets/split-row.ts'

/** Where MIND is published. */
export const mindFile: DatasetFile = {
  title: 'the behaviors of MIND-small',
  home: 'the site of MIND, msnews.github.io',
  size: 'about 90 MB, 156,965 impressions of 50,000 users',
  folder: 'MINDsmall_train',
  otherFolders: ['mind', 'mind-5k'],
  files: ['behaviors.tsv'],
}

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

const americanTime = /^(\d{1,2})\/(\d{1,2})\/(\d{4}) (\d{1,2}):(\d\d):(\d\d) (AM|PM)$/

/** Parses a time such as 11/9/2019 9:05:58 AM; NaN for anything else. */
export function parseAmericanTime(text: string): number {
  const match = americanTime.exec(text)
  if (match === null) return Number.NaN
  const [month, day, year, hour, minute, second] = match.slice(1, 7).map(Number) as DateParts
  const sinceMidnight = (hour % 12) + (match[7] === 'PM' ? 12 : 0)
  const time = Date.UTC(year, month - 1, day, sinceMidnight, minute, second)
  // Date.UTC carries excess days into the next month.
  const isDay = month >= 1 && month <= 12 && new Date(time).getUTCDate() === day
  return isDay && hour >= 1 && hour <= 12 && minute < 60 && second < 60 ? time : Number.NaN
}

type DateParts = [number, number, number, number, number, number]
