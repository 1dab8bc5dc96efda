// Reads the Netflix Prize: combined_data_1.txt to combined_data_4.txt, with a line `movie:` and below it a
// line `customer,rating,YYYY-MM-DD` per rating.

import { existsSync } from 'node:fs'
import { dirname } from 'node:path'

import { RenError } from '../../src/core/errors.ts'
import { mix } from '../../src/core/random.ts'
import type { BadRows } from '../../src/datasets/columns.ts'
import { Columns, integerIn, parseNumber } from '../../src/datasets/columns.ts'
import { NameTable } from '../../src/datasets/name-table.ts'
import { locateFile } from '../../src/datasets/published.ts'
import type { DatasetFile } from '../../src/datasets/published.ts'
import { LogBuilder } from '../../src/datasets/read-log.ts'
import type { ReadResult } from '../../src/datasets/read-log.ts'
import { readRows } from '../../src/datasets/read-rows.ts'
import type { ReadOptions, RowReader } from '../../src/datasets/read-rows.ts'
import { fieldText } from '../../src/datasets/split-row.ts'
import type { Row } from '../../src/datasets/split-row.ts'

/** Which ratings to read. */
export interface NetflixOptions extends ReadOptions {
  /** The share of the customers to read, above 0 and at most 1, selected by a hash of id and seed. */
  readonly users?: { readonly share: number; readonly seed: number }
  /** The number of movies to read, from number 1 on. The numbers are unrelated to the movies. */
  readonly movies?: number
}

const netflixFile: DatasetFile = {
  title: 'one of the four files of Netflix Prize ratings',
  home: 'the Netflix Prize data',
  size: 'about 2 GB, 100,480,507 ratings of 480,189 users in all',
  folder: 'netflix',
  otherFolders: ['netflix-prize-data', 'netflix-sample'],
  files: ['combined_data_1.txt'],
}
const format = { delimiter: ',' }
const names = ['customer', 'rating', 'date']
const [customer, rating, date] = [0, 1, 2] as const
const none = -1
const leftOut = -2

/**
 * Reads the consecutively numbered files of a folder, from combined_data_1.txt on, or the given files.
 * The catalog has every selected movie, even if no selected customer rated it.
 */
export async function readNetflix(
  location: string | readonly string[],
  options: NetflixOptions = {},
): Promise<ReadResult> {
  const { movies = Number.POSITIVE_INFINITY } = options
  const filters = { user: userFilter(options.users), movies }
  const builder = new LogBuilder()
  const dates = new NameTable()
  const days: number[] = [] // by index of the date: there are few, and each is parsed once
  const timeIn = (row: Row): number => {
    const index = dates.indexOf(row[date]!)
    return (days[index] ??= parseDay(dates.names[index] ?? ''))
  }
  let skipped = 0
  for (const path of typeof location === 'string' ? filesAt(location) : location) {
    const file = { ...locateFile(netflixFile, path), format }
    skipped += await readRows(file, options, (badRows) =>
      createRowReader(builder, badRows, filters, timeIn),
    )
  }
  return { log: builder.build(), skipped }
}

/** Parses a date such as 2005-12-31 to milliseconds since 1970 (UTC); NaN for anything else. */
export function parseDay(text: string): number {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  // Date.parse carries excess days into the next month.
  return Number.isNaN(time) || !new Date(time).toISOString().startsWith(text) ? Number.NaN : time
}

interface Filters {
  user(id: number): boolean
  readonly movies: number
}

function createRowReader(
  builder: LogBuilder,
  badRows: BadRows,
  filters: Filters,
  timeIn: (row: Row) => number,
): RowReader {
  const columns = new Columns(names, format.delimiter, badRows)
  let movie = none

  function readHeader(row: Row, line: number): void {
    const name = row[0]!.slice(0, -1)
    const id = parseNumber(name)
    movie = none
    if (!Number.isInteger(id) || id < 1) {
      return badRows.reject({ line }, 'a movie such as 7:', fieldText(row, 0))
    }
    movie = id > filters.movies ? leftOut : builder.items.indexOf(name)
  }

  return (row, line) => {
    if (row.length === 1 && row[0]!.endsWith(':')) return readHeader(row, line)
    if (movie === leftOut || !columns.accept(row, line)) return
    if (movie === none) return badRows.reject({ line }, 'a movie such as 7: first', 'a rating')
    const id = integerIn(row, customer, 1)
    if (id === -1) return columns.reject(row, line, customer, 'a customer’s number')
    if (!filters.user(id)) return
    const stars = integerIn(row, rating, 1)
    if (stars === -1 || stars > 5) return columns.reject(row, line, rating, '1, 2, 3, 4 or 5')
    const when = timeIn(row)
    if (Number.isNaN(when)) return columns.reject(row, line, date, 'a date such as 2005-12-31')
    builder.add(builder.users.indexOf(row[customer]!), movie, stars, when)
  }
}

function userFilter(users: NetflixOptions['users']): (id: number) => boolean {
  if (!users) return () => true
  const { share, seed } = users
  if (!(share > 0 && share <= 1) || !Number.isInteger(seed)) {
    throw new RenError(
      'invalid-argument',
      `users: the share to keep must be above 0 and at most 1, and the seed an integer, got ${share}, ${seed}`,
    )
  }
  const key = mix(seed)
  return (id) => mix(id ^ key) < share * 2 ** 32
}

/** The first file and all files up to the highest number. Reading reports a file that is missing. */
function filesAt(location: string): string[] {
  const first = locateFile(netflixFile, location).path
  if (first === location) return [first]
  const beside = { ...netflixFile, folder: '', otherFolders: [] }
  const later = [2, 3, 4].map((number) => {
    const file: DatasetFile = { ...beside, files: [`combined_data_${number}.txt`] }
    return locateFile(file, dirname(first)).path
  })
  return [first, ...later.slice(0, later.findLastIndex((path) => existsSync(path)) + 1)]
}
