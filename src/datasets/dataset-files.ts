// Files of published data sets: what they are called, where they stand and where to get them.

import { existsSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'

/** One file that a reader looks for. */
export interface DatasetFile {
  readonly title: string
  readonly home: string
  readonly size: string
  /** Folder of the published archive, and other names that it goes by. */
  readonly folder: string
  readonly otherFolders?: readonly string[]
  /** The names that the file goes by; each also as `.gz`. */
  readonly files: readonly [string, ...string[]]
}

/** The data sets that have readers of their own. */
export const datasetFiles = {
  mind: {
    title: 'the behaviours of MIND-small',
    home: 'the site of MIND, msnews.github.io',
    size: 'about 90 MB, 156,965 impressions of 50,000 users',
    folder: 'MINDsmall_train',
    otherFolders: ['mind', 'mind-5k'],
    files: ['behaviors.tsv'],
  },
  trivago: {
    title: 'the sessions of Trivago',
    home: 'the RecSys Challenge 2019 of trivago',
    size: 'about 2 GB, 15,932,992 rows, 1,586,586 of them clickouts',
    folder: 'trivago',
    otherFolders: ['trivagoRecSysChallengeData2019_v2', 'trivago-sample'],
    files: ['train.csv', 'train_sample.csv'],
  },
} as const satisfies Readonly<Record<string, DatasetFile>>

export type DatasetFileName = keyof typeof datasetFiles

/** Where a file is, and what to say if it is not there. */
export interface LocatedFile {
  readonly path: string
  /** What the file is and where it can be got. */
  readonly hint: string
}

/** The file at or under a location; if there is none, where it was first expected. */
export function locateFile(file: DatasetFile, location: string): LocatedFile {
  const { title, size, home } = file
  const hint = `This is ${title} (${size}); get it from ${home}.`
  return { path: pathOf(file, location), hint }
}

function pathOf(file: DatasetFile, location: string): string {
  const found = statSync(location, { throwIfNoEntry: false })
  // What is not there is taken for a folder unless it is called like a file.
  if (found ? !found.isDirectory() : extname(location) !== '') return location
  const folders = [file.folder, ...(file.otherFolders ?? []), '']
  const paths = file.files
    .flatMap((name) => [name, `${name}.gz`])
    .flatMap((name) => folders.map((folder) => join(location, folder, name)))
  return paths.find((path) => existsSync(path)) ?? paths[0]!
}
