// Items with their attributes: CSV, JSON Lines, and the movies of MovieLens.

import type { Attributes, AttributeValue } from '../core/events.ts'
import { Columns, integerIn, readTable, fieldTexts } from './columns.ts'
import { isName, readObjects } from './read-log.ts'
import { readRows, type ReadOptions } from './read-rows.ts'
import { fieldText, type Row } from './split-row.ts'

interface MovieLayout {
  readonly delimiter: string
  readonly columns: readonly string[]
  /** The year of a movie whose title has none. */
  yearOf(row: Row): number | undefined
  /** Null if the fields are invalid. */
  genresOf(row: Row): readonly string[] | null
}

/** The 19 genre flags of u.item, in their order. The first marks an unknown genre. */
const flagNames = [
  'unknown',
  'Action',
  'Adventure',
  'Animation',
  "Children's",
  'Comedy',
  'Crime',
  'Documentary',
  'Drama',
  'Fantasy',
  'Film-Noir',
  'Horror',
  'Musical',
  'Mystery',
  'Romance',
  'Sci-Fi',
  'Thriller',
  'War',
  'Western',
]
const beforeFlags = ['movie', 'title', 'release date', 'video release date', 'IMDb URL']

const layouts = {
  'movielens-1m': {
    delimiter: '::',
    columns: ['movie', 'title', 'genres'],
    yearOf: () => undefined,
    genresOf: (row) => decode(row, 2).split('|').filter(isGenre),
  },
  'movielens-100k': {
    delimiter: '|',
    columns: [...beforeFlags, ...flagNames],
    yearOf(row) {
      const [year] = /\d{4}$/.exec(fieldText(row, 2)) ?? []
      return year === undefined ? undefined : Number(year)
    },
    genresOf(row) {
      const flags = flagNames.map((_, flag) => fieldText(row, beforeFlags.length + flag))
      if (!flags.every((flag) => flag === '0' || flag === '1')) return null
      return flagNames.filter((name, flag) => flags[flag] === '1' && name !== 'unknown')
    },
  },
} as const satisfies Readonly<Record<string, MovieLayout>>

/**
 * Reads the movies of a MovieLens dataset, plain or gzip. Items are named by their number, as the
 * ratings name them.
 */
export async function readMovieLensItems(
  path: string,
  dataset: keyof typeof layouts,
  options: ReadOptions = {},
): Promise<ItemsResult> {
  const layout: MovieLayout = layouts[dataset]
  const { delimiter } = layout
  const items = new Map<string, AttributedItem>()
  const skipped = await readRows({ path, format: { delimiter } }, options, (badRows) => {
    const columns = new Columns(layout.columns, delimiter, badRows)
    return (row, line) => {
      if (!columns.accept(row, line)) return
      const item = fieldText(row, 0)
      if (integerIn(row, 0, 1) === -1) return columns.reject(row, line, 0, 'the number of a movie')
      if (items.has(item)) return columns.reject(row, line, 0, 'a movie that occurs once')
      const genres = layout.genresOf(row)
      if (!genres) return columns.reject(row, line, beforeFlags.length, 'flags of 0 or 1')
      items.set(item, { item, attributes: { ...titleAndYear(row, layout), genres } })
    }
  })
  return { items: [...items.values()], skipped }
}

/** Splits `Title (1999)` into a title and a year. */
function titleAndYear(row: Row, { yearOf }: MovieLayout): { title: string; year?: number } {
  const text = decode(row, 1).trim()
  const [, title = text, inTitle] = /^(.*\S)\s*\((\d{4})\)$/.exec(text) ?? []
  const year = inTitle === undefined ? yearOf(row) : Number(inTitle)
  return { title, ...(year !== undefined && { year }) }
}

const isGenre = (genre: string): boolean => genre !== '' && genre !== '(no genres listed)'

/** The original files are Latin-1. Also reads copies in UTF-8. */
function decode(row: Row, field: number): string {
  const text = fieldText(row, field)
  return text.includes('\uFFFD') ? row[field]! : text
}

/** An item of a catalog with its attributes. */
export interface AttributedItem {
  /** The name of the item. */
  readonly item: string
  /** Its attributes by name; empty without any. */
  readonly attributes: Attributes
}

/** The items of a catalog, and the number of rows that the reader skipped. */
export interface ItemsResult {
  /** The items, in the order of the file. */
  readonly items: readonly AttributedItem[]
  /** The number of skipped rows; 0 without `skipBadRows`. */
  readonly skipped: number
}

/**
 * Reads a catalog from CSV. The column `item` names the item; the other columns are attributes. A
 * column is numeric or boolean if all its fields are; an empty field is no attribute.
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
      if (rows.has(name)) return columns.reject(row, line, item, 'an item that occurs once')
      rows.set(name, fields)
    }
  })
  const columns = names.map((name, field) => ({
    name,
    field,
    read: parserOf([...rows.values()].map((fields) => fields[field]!)),
  }))
  const items = Array.from(rows, ([item, fields]) => {
    const given = columns.filter(({ name, field }) => name !== 'item' && fields[field] !== '')
    const attributes = given.map(({ name, field, read }) => [name, read(fields[field]!)] as const)
    return { item, attributes: Object.fromEntries(attributes) }
  })
  return { items, skipped }
}

/** Matches 12, −3.5 or 1e6, but not 007: a leading zero marks a code. */
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Returns the parser of a column: boolean or number if all its fields are, else text. */
function parserOf(fields: readonly string[]): (field: string) => AttributeValue {
  const given = fields.filter((field) => field !== '')
  if (given.every((field) => field === 'true' || field === 'false')) return (it) => it === 'true'
  return given.every((field) => number.test(field)) ? Number : String
}

/**
 * Reads a catalog from JSON Lines: one object per line with the keys `item` and optionally
 * `attributes`.
 */
export async function readItemLines(path: string, options: ReadOptions = {}): Promise<ItemsResult> {
  const items = new Map<string, AttributedItem>()
  const skipped = await readObjects(path, options, ({ item, attributes = {} }, reject) => {
    if (!isName(item)) return reject('item', 'a text or a number')
    const name = String(item)
    if (items.has(name)) return reject('item', 'an item that occurs once')
    if (!areAttributes(attributes)) {
      return reject('attributes', 'an object of texts, numbers, true, false and lists of texts')
    }
    items.set(name, { item: name, attributes })
  })
  return { items: [...items.values()], skipped }
}

function areAttributes(value: unknown): value is Attributes {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(isAttribute)
  )
}

function isAttribute(value: unknown): value is AttributeValue {
  if (Array.isArray(value)) return value.every((entry) => typeof entry === 'string')
  return typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number'
}
