// The titles of the Netflix Prize: movie_titles.csv, in Latin-1, with bare commas in the titles.

import { createColumns } from './columns.ts'
import { datasetFiles, locateFile } from './dataset-files.ts'
import { readRows } from './read-rows.ts'
import type { ReadOptions } from './read-rows.ts'
import { integerIn } from './row-fields.ts'
import { fieldText } from './split-row.ts'

/** One movie. */
export interface MovieTitle {
  /** As `readNetflix` names its items. */
  readonly movie: string
  /** Null where the file does not know. */
  readonly year: number | null
  readonly title: string
}

/** The titles, and how many rows were skipped on the way to them. */
export interface MovieTitles {
  readonly titles: readonly MovieTitle[]
  readonly skipped: number
}

const format = { delimiter: ',' }
const names = ['movie', 'year', 'title']

/** Reads movie_titles.csv, or the one that a folder holds. */
export async function readNetflixTitles(
  location: string,
  options: ReadOptions = {},
): Promise<MovieTitles> {
  const titles: MovieTitle[] = []
  const file = { ...locateFile(datasetFiles['netflix-titles'], location), format }
  const skipped = await readRows(file, options, (badRows) => {
    const { accept, reject } = createColumns(names, format.delimiter, badRows)
    return (row, line) => {
      if (row.fieldCount < names.length) return void accept(row, line)
      if (integerIn(row, 0, 1) === -1) return reject(row, line, 0, 'a movie’s number')
      const year = fieldText(row, 1) === 'NULL' ? null : integerIn(row, 1, 0)
      if (year === -1) return reject(row, line, 1, 'a year or NULL')
      const bytes = row.bytes.subarray(row.starts[2], row.ends[row.fieldCount - 1])
      titles.push({ movie: fieldText(row, 0), year, title: Buffer.from(bytes).toString('latin1') })
    }
  })
  return { titles, skipped }
}
