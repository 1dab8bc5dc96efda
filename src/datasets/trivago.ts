// The sessions of the RecSys Challenge 2019 (trivago): train.csv, where a clickout carries the list
// of accommodations that was on the screen.

import type { Columns } from './columns.ts'
import { datasetFiles, locateFile } from './dataset-files.ts'
import { createImpressionBuilder } from './impression-builder.ts'
import type { ImpressionBuilder, ImpressionResult } from './impression-builder.ts'
import type { ReadOptions, RowReader } from './read-rows.ts'
import { readTable } from './read-table.ts'
import type { FieldsOf } from './read-table.ts'
import { createRecentItems } from './recent-items.ts'
import { everyPart, indexIn, integerIn, numberIn } from './row-fields.ts'
import { fieldText } from './split-row.ts'

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
  const builder = createImpressionBuilder()
  const table = { ...locateFile(datasetFiles.trivago, location), required }
  const skipped = await readTable(table, options, (columns, fields) =>
    createRowReader(columns, fields, builder),
  )
  return { log: builder.build(), skipped }
}

function createRowReader(
  { accept, reject }: Columns,
  [user, time, action, reference, shown]: FieldsOf<typeof required>,
  builder: ImpressionBuilder,
): RowReader {
  const recent = createRecentItems(longestHistory)

  return (row, line) => {
    if (!accept(row, line)) return
    const what = fieldText(row, action)
    // References are texts in other actions, and now and then missing in these.
    const isOfItem = what === clickout || what.startsWith(interaction)
    if (!isOfItem || integerIn(row, reference, 0) === -1) return
    const who = indexIn(row, user, builder.users)
    if (who === -1) return reject(row, line, user, 'a name in UTF-8')
    const item = indexIn(row, reference, builder.items)
    if (what === clickout) {
      builder.begin()
      const when = numberIn(row, time) * 1000
      if (!Number.isFinite(when)) return reject(row, line, time, 'a number of seconds')
      const listed = everyPart(row, shown, bar, (start, end) => {
        const next = start === end ? -1 : builder.items.indexOf(row.bytes, start, end)
        builder.show(next, next === item)
        return next !== -1
      })
      if (!listed || builder.shownCount === 0) return reject(row, line, shown, 'items between bars')
      recent.of(who).forEach(builder.remember)
      builder.end(who, when)
    }
    recent.add(who, item)
  }
}
