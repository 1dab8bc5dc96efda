// MIND (Microsoft): behaviors.tsv, lists of shown articles with the clicks on them.

import type { BadRows } from './bad-rows.ts'
import { createColumns } from './columns.ts'
import { datasetFiles, locateFile } from './dataset-files.ts'
import { createImpressionBuilder } from './impression-builder.ts'
import type { ImpressionBuilder, ImpressionResult } from './impression-builder.ts'
import { parseAmericanTime } from './parse-time.ts'
import { readRows } from './read-rows.ts'
import type { ReadOptions, RowReader } from './read-rows.ts'
import { everyPart, indexIn } from './row-fields.ts'
import { fieldText } from './split-row.ts'
import type { Row } from './split-row.ts'

const format = { delimiter: '\t' }
const names = ['impression', 'user', 'time', 'history', 'shown']
const [user, time, history, shown] = [1, 2, 3, 4] as const
const [space, hyphen, zero, one] = [0x20, 0x2d, 0x30, 0x31] as const

/** Reads behaviors.tsv, or the one that a folder holds. Times are taken as UTC. */
export async function readMind(
  location: string,
  options: ReadOptions = {},
): Promise<ImpressionResult> {
  const builder = createImpressionBuilder()
  const file = { ...locateFile(datasetFiles.mind, location), format }
  const skipped = await readRows(file, options, (badRows) => createRowReader(builder, badRows))
  return { log: builder.build(), skipped }
}

function createRowReader(builder: ImpressionBuilder, badRows: BadRows): RowReader {
  const { accept, reject } = createColumns(names, format.delimiter, badRows)
  return (row, line) => {
    if (!accept(row, line)) return
    builder.begin()
    const when = parseAmericanTime(fieldText(row, time))
    if (Number.isNaN(when)) return reject(row, line, time, 'a time such as 11/9/2019 9:05:58 AM')
    if (!takeHistory(row, builder)) return reject(row, line, history, 'names between spaces')
    if (!takeShown(row, builder) || builder.shownCount === 0) {
      return reject(row, line, shown, 'a list such as N1-0 N2-1')
    }
    const who = indexIn(row, user, builder.users)
    if (who === -1) return reject(row, line, user, 'a name in UTF-8')
    builder.end(who, when)
  }
}

function takeHistory(row: Row, { items, remember }: ImpressionBuilder): boolean {
  return everyPart(row, history, space, (start, end) => {
    const item = start === end ? -1 : items.indexOf(row.bytes, start, end)
    remember(item)
    return item !== -1
  })
}

/** Each part is a name, a hyphen, and 1 if it was clicked or 0 if not. */
function takeShown(row: Row, { items, show }: ImpressionBuilder): boolean {
  const { bytes } = row
  return everyPart(row, shown, space, (start, end) => {
    const flag = bytes[end - 1]
    if (end - start < 3 || bytes[end - 2] !== hyphen || (flag !== zero && flag !== one))
      return false
    const item = items.indexOf(bytes, start, end - 2)
    show(item, flag === one)
    return item !== -1
  })
}
