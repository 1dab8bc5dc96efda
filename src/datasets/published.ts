// Published logs of interactions and how they are laid out, and where any published data set is.

import { existsSync } from 'node:fs'

import { RenError } from '../core/errors.ts'
import { datasetFiles, locateFile } from './dataset-files.ts'
import type { DatasetFile, DatasetFileName } from './dataset-files.ts'
import { readDelimited } from './delimited-log.ts'
import type { LogLayout } from './delimited-log.ts'
import type { ReadResult } from './read-log.ts'
import type { ReadOptions } from './read-rows.ts'

interface PublishedDataset extends DatasetFile {
  readonly layout: LogLayout
}

/** The data sets that `readDataset` knows by name. */
export const publishedDatasets = {
  'movielens-1m': {
    title: 'MovieLens 1M',
    home: 'GroupLens, data sets, MovieLens 1M',
    size: '24.6 MB, 1,000,209 ratings',
    folder: 'ml-1m',
    files: ['ratings.dat', 'ratings_reconstructed.dat', 'ratings_users_1-2999_exact.dat'],
    layout: {
      format: { delimiter: '::' },
      columns: ['user', 'item', 'reward', 'time'],
      timeUnit: 'seconds',
    },
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
    home: 'GroupLens, data sets, MovieLens 100K',
    size: '2 MB, 100,000 ratings',
    folder: 'ml-100k',
    files: ['u.data'],
    layout: {
      format: { delimiter: '\t' },
      columns: ['user', 'item', 'reward', 'time'],
      timeUnit: 'seconds',
    },
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

export type DatasetName = keyof typeof publishedDatasets

/** Reads a data set from its file, or from a folder that holds the file or its archive's folder. */
export function readDataset(
  name: DatasetName,
  location: string,
  options: ReadOptions = {},
): Promise<ReadResult> {
  const dataset: PublishedDataset = publishedDatasets[name]
  const { path, hint } = locateFile(dataset, location)
  return readDelimited(path, dataset.layout, options, hint)
}

/** Where a data set's file is, at or under a location; refuses if it is not there. */
export function locateDataset(name: DatasetName | DatasetFileName, location: string): string {
  const file: DatasetFile = { ...publishedDatasets, ...datasetFiles }[name]
  const { path, hint } = locateFile(file, location)
  if (existsSync(path)) return path
  throw new RenError('dataset-missing', `expected a file at ${path}. ${hint}`)
}
