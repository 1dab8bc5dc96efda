// The films of MovieLens: movies.dat (1M) and u.item (100K), with title, year and genres.

import { createColumns } from './columns.ts'
import type { AttributedItem, ItemsResult } from './items.ts'
import { readRows } from './read-rows.ts'
import type { ReadOptions } from './read-rows.ts'
import { integerIn } from './row-fields.ts'
import { fieldText } from './split-row.ts'
import type { Row } from './split-row.ts'

interface FilmLayout {
  readonly delimiter: string
  readonly columns: readonly string[]
  /** Where the title does not end with a year. */
  yearOf(row: Row): number | undefined
  /** Null where the fields are not what they should be. */
  genresOf(row: Row): readonly string[] | null
}

/** The order of the 19 flags of u.item. The first says that the genre is unknown. */
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
} as const satisfies Readonly<Record<string, FilmLayout>>

/**
 * Reads the films of a MovieLens data set, plain or gzip. Items are named by their number, as the
 * ratings name them.
 */
export async function readMovieLensItems(
  path: string,
  dataset: keyof typeof layouts,
  options: ReadOptions = {},
): Promise<ItemsResult> {
  const layout: FilmLayout = layouts[dataset]
  const { delimiter } = layout
  const items = new Map<string, AttributedItem>()
  const skipped = await readRows({ path, format: { delimiter } }, options, (badRows) => {
    const columns = createColumns(layout.columns, delimiter, badRows)
    return (row, line) => {
      if (!columns.accept(row, line)) return
      const item = fieldText(row, 0)
      if (integerIn(row, 0, 1) === -1) return columns.reject(row, line, 0, 'the number of a movie')
      if (items.has(item)) return columns.reject(row, line, 0, 'a movie that is not there yet')
      const genres = layout.genresOf(row)
      if (!genres) return columns.reject(row, line, beforeFlags.length, 'flags of 0 or 1')
      items.set(item, { item, attributes: { ...titleAndYear(row, layout), genres } })
    }
  })
  return { items: [...items.values()], skipped }
}

/** `Title (1999)` is a title and a year. */
function titleAndYear(row: Row, { yearOf }: FilmLayout): { title: string; year?: number } {
  const text = decode(row, 1).trim()
  const [, title = text, inTitle] = /^(.*\S)\s*\((\d{4})\)$/.exec(text) ?? []
  const year = inTitle === undefined ? yearOf(row) : Number(inTitle)
  return { title, ...(year !== undefined && { year }) }
}

const isGenre = (genre: string): boolean => genre !== '' && genre !== '(no genres listed)'

/** The files are Latin-1. Copies that somebody converted to UTF-8 are read as well. */
function decode(row: Row, field: number): string {
  const bytes = Buffer.from(row.bytes.subarray(row.starts[field], row.ends[field]))
  const text = bytes.toString('utf8')
  return text.includes('\uFFFD') ? bytes.toString('latin1') : text
}
