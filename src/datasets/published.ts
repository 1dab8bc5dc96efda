// Published datasets: their names, files, layouts and sources. Also detects the format of a file by
// its first row.

import { existsSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'

import { readDelimited, type LogLayout, type ReadResult } from './read-log.ts'
import { readStart, type ReadOptions } from './read-rows.ts'

/** A file of a published dataset. */
export interface DatasetFile {
  /** What the file contains, for messages. */
  readonly title: string
  /** Where it is published, for messages. */
  readonly home: string
  /** The size of the file and the number of its rows, for messages. */
  readonly size: string
  /** The folder in the published archive. */
  readonly folder: string
  /** Alternative names of the folder. Defaults to none. */
  readonly otherFolders?: readonly string[]
  /** The possible names of the file, each also with `.gz`. */
  readonly files: readonly [string, ...string[]]
}

/**
 * Returns the path of a file at or under a location, or the first expected path if there is none,
 * and a hint with its content and source for the error message.
 */
export function locateFile(file: DatasetFile, location: string) {
  const { title, size, home } = file
  const hint = `This is ${title} (${size}); get it from ${home}.`
  return { path: pathOf(file, location), hint }
}

function pathOf(file: DatasetFile, location: string): string {
  const found = statSync(location, { throwIfNoEntry: false })
  // A missing location counts as a folder unless its name has an extension.
  if (found ? !found.isDirectory() : extname(location) !== '') return location
  const folders = [file.folder, ...(file.otherFolders ?? []), '']
  const paths = file.files
    .flatMap((name) => [name, `${name}.gz`])
    .flatMap((name) => folders.map((folder) => join(location, folder, name)))
  return paths.find((path) => existsSync(path)) ?? paths[0]!
}

/** Formats of a catalog: items with their attributes. */
export const itemFormats = ['csv', 'jsonl', 'movielens-1m', 'movielens-100k'] as const
/** The format of a catalog file. */
export type ItemFormat = (typeof itemFormats)[number]

/** Enough bytes for the first row of any format below. */
const startBytes = 1 << 14

/**
 * Detects the format of a catalog file. Unknown formats count as CSV, whose reader checks the
 * header.
 */
export async function detectItemFormat(path: string): Promise<ItemFormat> {
  const row = await firstRow(path)
  if (row.startsWith('{')) return 'jsonl'
  if (/^\d+::.*::/.test(row)) return 'movielens-1m'
  return /^\d+\|.*(?:\|[01]){19}$/.test(row) ? 'movielens-100k' : 'csv'
}

/** Detects the format of a log file from its first row; null if it is unclear. */
export async function detectLogFormat(path: string): Promise<'csv' | 'jsonl' | DatasetName | null> {
  const row = await firstRow(path)
  if (row.startsWith('{')) return 'jsonl'
  if (/^\d+::\d+::[\d.]+::\d+$/.test(row)) return 'movielens-1m'
  if (/^\d+\t\d+\t[1-5]\t\d{9,10}$/.test(row)) return 'movielens-100k'
  const header = new Set(row.split(',').map((name) => name.replaceAll('"', '')))
  return header.has('user') && header.has('item') ? 'csv' : null
}

/**
 * Returns the first row without byte order mark and line end. Its ASCII parts suffice in any
 * encoding.
 */
async function firstRow(path: string): Promise<string> {
  const text = (await readStart(path, startBytes)).toString('utf8')
  const row = text.split(/\r?\n/).find((line) => line.trim() !== '')
  return row?.replace(/^\uFEFF/, '') ?? ''
}

interface PublishedDataset extends DatasetFile {
  readonly layout: LogLayout
}

const ratings = <const Delimiter extends string>(delimiter: Delimiter) =>
  ({
    format: { delimiter },
    columns: ['user', 'item', 'reward', 'time'],
    timeUnit: 'seconds',
  }) as const

/** The datasets that `readDataset` knows by name. */
export const publishedDatasets = {
  'movielens-1m': {
    title: 'MovieLens 1M',
    home: 'GroupLens, datasets, MovieLens 1M',
    size: '24.6 MB, 1,000,209 ratings',
    folder: 'ml-1m',
    files: ['ratings.dat', 'ratings_reconstructed.dat', 'ratings_users_1-2999_exact.dat'],
    layout: ratings('::'),
  },
  'movielens-1m-sequences': {
    title: 'MovieLens 1M as the SASRec sequence file',
    home: 'the code repository of the SASRec paper, data/ml-1m.txt',
    size: '9.1 MB, 999,611 rows',
    folder: 'ml-1m',
    files: ['ml-1m.txt', 'sasrec_ml-1m.txt'],
    layout: { format: { delimiter: ' ' }, columns: ['user', 'item'], timeUnit: 'milliseconds' },
  },
  'movielens-100k': {
    title: 'MovieLens 100K',
    home: 'GroupLens, datasets, MovieLens 100K',
    size: '2 MB, 100,000 ratings',
    folder: 'ml-100k',
    files: ['u.data'],
    layout: ratings('\t'),
  },
  diginetica: {
    title: 'Diginetica in 17 weekly periods',
    home: 'the code repository of the ADER paper, data/DIGINETICA (from CIKM Cup 2016, track 2)',
    size: '14.5 MB, 993,483 rows',
    folder: 'diginetica',
    files: ['diginetica_periods.tsv'],
    layout: {
      format: { delimiter: '\t' },
      columns: ['period', 'user', 'item'],
      timeUnit: 'milliseconds',
    },
  },
} as const satisfies Readonly<Record<string, PublishedDataset>>

/** The name of a dataset that {@link readDataset} reads, such as `movielens-1m`. */
export type DatasetName = keyof typeof publishedDatasets

/**
 * Reads a published dataset.
 *
 * @param location The file, or a folder that contains the file or the unpacked archive.
 *
 * @example
 * ```ts
 * import { readDataset } from 'ren-recommender/datasets'
 *
 * const { log } = await readDataset('movielens-1m', 'data/ml-1m')
 * ```
 */
export function readDataset(
  name: DatasetName,
  location: string,
  options: ReadOptions = {},
): Promise<ReadResult> {
  const dataset: PublishedDataset = publishedDatasets[name]
  const { path, hint } = locateFile(dataset, location)
  return readDelimited(path, dataset.layout, options, hint)
}
