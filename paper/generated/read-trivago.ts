// Reads the sessions of Trivago, the RecSys Challenge 2019: train.csv, where each clickout includes the shown list.

import type { FieldsOf } from '../../src/datasets/columns.ts'
import { Columns, integerIn, numberIn, readTable } from '../../src/datasets/columns.ts'
import { locateFile, type DatasetFile } from '../../src/datasets/published.ts'
import { buildImpressions, partsOf } from '../impressions/read-impressions.ts'
import type { ImpressionBuilder, ImpressionResult } from '../impressions/read-impressions.ts'
import type { ReadOptions, RowReader } from '../../src/datasets/read-rows.ts'
import { fieldText } from '../../src/datasets/split-row.ts'

const trivagoFile: DatasetFile = {
  title: 'the sessions of Trivago',
  home: 'the RecSys Challenge 2019 of trivago',
  size: 'about 2 GB, 15,932,992 rows, 1,586,586 of them clickouts',
  folder: 'trivago',
  otherFolders: ['trivagoRecSysChallengeData2019_v2', 'trivago-sample'],
  files: ['train.csv', 'train_sample.csv'],
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
  const table = { ...locateFile(trivagoFile, location), required }
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

/** Tracks the last items of every user. */
export class RecentItems {
  readonly #longest: number
  readonly #ofUsers: number[][] = []

  /** @param longest The maximum number of items that `of` returns. */
  constructor(longest: number) {
    this.#longest = longest
  }

  /** Adds an item that a user chose; consecutive repeats count once. */
  add(user: number, item: number): void {
    const items = (this.#ofUsers[user] ??= [])
    if (items.at(-1) === item) return
    items.push(item)
    if (items.length > this.#longest) items.shift()
  }

  /** Returns the user's last items, oldest first. */
  of(user: number): readonly number[] {
    return this.#ofUsers[user] ?? []
  }
}
