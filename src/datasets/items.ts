// Items with their attributes, from CSV or JSON Lines.

import { parseObject } from './json-lines-log.ts'
import { readRows } from './read-rows.ts'
import type { ReadOptions } from './read-rows.ts'
import { readTable } from './read-table.ts'
import { fieldTexts } from './row-fields.ts'
import { fieldText } from './split-row.ts'

export type AttributeOfItem = string | number | boolean | readonly string[]

export interface AttributedItem {
  readonly item: string
  readonly attributes: Readonly<Record<string, AttributeOfItem>>
}

/** The items, and how many rows were skipped on the way to them. */
export interface ItemsResult {
  readonly items: readonly AttributedItem[]
  readonly skipped: number
}

/**
 * Reads CSV whose header names a column `item`; the others are attributes. A column is of numbers, or
 * of true and false, where all its fields are; an empty field is no attribute.
 */
export async function readItemCsv(path: string, options: ReadOptions = {}): Promise<ItemsResult> {
  const rows = new Map<string, readonly string[]>()
  let names: readonly string[] = []
  const skipped = await readTable({ path, required: ['item'] }, options, (columns, [item]) => {
    ;({ names } = columns)
    return (row, line) => {
      if (!columns.accept(row, line)) return
      const fields = fieldTexts(row)
      const name = fields[item]!
      if (name === '') return columns.reject(row, line, item, 'a name')
      if (rows.has(name)) return columns.reject(row, line, item, 'an item that is not there yet')
      rows.set(name, fields)
    }
  })
  const columns = names.map((name, field) => ({
    name,
    field,
    read: kindOf([...rows.values()].map((fields) => fields[field]!)),
  }))
  const items = Array.from(rows, ([item, fields]) => {
    const given = columns.filter(({ name, field }) => name !== 'item' && fields[field] !== '')
    const attributes = given.map(({ name, field, read }) => [name, read(fields[field]!)] as const)
    return { item, attributes: Object.fromEntries(attributes) }
  })
  return { items, skipped }
}

/** 12, −3.5 or 1e6, but not 007: what begins with a nought is a code of some kind. */
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** How the fields of a column are read, by what all of them look like. */
function kindOf(fields: readonly string[]): (field: string) => AttributeOfItem {
  const given = fields.filter((field) => field !== '')
  if (given.every((field) => field === 'true' || field === 'false')) return (it) => it === 'true'
  return given.every((field) => number.test(field)) ? Number : String
}

/** Reads JSON Lines: one object a line with the keys item and perhaps attributes. */
export async function readItemLines(path: string, options: ReadOptions = {}): Promise<ItemsResult> {
  const items = new Map<string, AttributedItem>()
  const file = { path, format: { delimiter: '' } }
  const skipped = await readRows(file, options, (badRows) => (row, line) => {
    const text = fieldText(row, 0)
    const entry = parseObject(text)
    if (!entry) return badRows.reject({ line }, 'a JSON object', text)
    const { item, attributes = {} } = entry
    const got = (value: unknown): string => JSON.stringify(value) ?? 'nothing'
    if ((typeof item !== 'string' && typeof item !== 'number') || item === '') {
      return badRows.reject({ line, name: 'item' }, 'a text or a number', got(item))
    }
    const name = String(item)
    if (items.has(name)) {
      return badRows.reject({ line, name: 'item' }, 'an item that is not there yet', got(item))
    }
    if (!areAttributes(attributes)) {
      const expected = 'an object of texts, numbers, true, false and lists of texts'
      return badRows.reject({ line, name: 'attributes' }, expected, got(attributes))
    }
    items.set(name, { item: name, attributes })
  })
  return { items: [...items.values()], skipped }
}

function areAttributes(value: unknown): value is AttributedItem['attributes'] {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(isAttribute)
  )
}

function isAttribute(value: unknown): value is AttributeOfItem {
  if (Array.isArray(value)) return value.every((entry) => typeof entry === 'string')
  return typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number'
}
