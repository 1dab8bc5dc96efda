// The accommodations of the RecSys Challenge 2019 (trivago): item_metadata.csv.

import type { IndexLists } from '../core/impression-log.ts'
import { datasetFiles, locateFile } from './dataset-files.ts'
import { createListBuilder } from './list-builder.ts'
import { NameTable } from './name-table.ts'
import type { ReadOptions } from './read-rows.ts'
import { readTable } from './read-table.ts'
import { everyPart, indexIn } from './row-fields.ts'

/** Properties of items: list `i` of `properties` belongs to item `i`. */
export interface ItemProperties {
  readonly itemNames: readonly string[]
  readonly propertyNames: readonly string[]
  readonly properties: IndexLists
  readonly skipped: number
}

const required = ['item_id', 'properties'] as const
const bar = 0x7c

/** Reads item_metadata.csv, or the one that a folder holds. */
export async function readTrivagoItems(
  location: string,
  options: ReadOptions = {},
): Promise<ItemProperties> {
  const items = new NameTable()
  const properties = new NameTable()
  const lists = createListBuilder()
  const table = { ...locateFile(datasetFiles['trivago-items'], location), required }
  const skipped = await readTable(table, options, ({ accept, reject }, [item, property]) => {
    return (row, line) => {
      if (!accept(row, line)) return
      lists.discard()
      const listed = everyPart(row, property, bar, (start, end) => {
        const index = properties.indexOf(row.bytes, start, end)
        lists.push(index)
        return index !== -1
      })
      if (!listed) return reject(row, line, property, 'names between bars')
      const known = items.names.length
      if (indexIn(row, item, items) !== known) {
        return reject(row, line, item, 'a name that no row before has')
      }
      lists.end()
    }
  })
  const [itemNames, propertyNames] = [items.names, properties.names]
  return { itemNames, propertyNames, properties: lists.build(), skipped }
}
