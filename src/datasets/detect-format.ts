// Tells the format of a file by its first row, so that nobody has to name it.

import type { DatasetName } from './published.ts'
import { readStart } from './read-chunks.ts'

/** Formats of a catalog: items with their attributes. */
export const itemFormats = ['csv', 'jsonl', 'movielens-1m', 'movielens-100k'] as const
export type ItemFormat = (typeof itemFormats)[number]

/** Bytes that hold the first row of any format below. */
const startBytes = 1 << 14

/** The format of a catalog. Whatever is none of the others is CSV, whose reader checks the header. */
export async function detectItemFormat(path: string): Promise<ItemFormat> {
  const row = await firstRow(path)
  if (row.startsWith('{')) return 'jsonl'
  if (/^\d+::.*::/.test(row)) return 'movielens-1m'
  return /^\d+\|.*(?:\|[01]){19}$/.test(row) ? 'movielens-100k' : 'csv'
}

/** The format of a log; null where the first row does not tell. */
export async function detectLogFormat(path: string): Promise<'csv' | 'jsonl' | DatasetName | null> {
  const row = await firstRow(path)
  if (row.startsWith('{')) return 'jsonl'
  if (/^\d+::\d+::[\d.]+::\d+$/.test(row)) return 'movielens-1m'
  if (/^\d+\t\d+\t[1-5]\t\d{9,10}$/.test(row)) return 'movielens-100k'
  const header = new Set(row.split(',').map((name) => name.replaceAll('"', '')))
  return header.has('user') && header.has('item') ? 'csv' : null
}

/** Without a byte order mark and line end. Numbers and delimiters read the same in every encoding. */
async function firstRow(path: string): Promise<string> {
  const text = (await readStart(path, startBytes)).toString('utf8')
  const row = text.split(/\r?\n/).find((line) => line.trim() !== '')
  return row?.replace(/^\uFEFF/, '') ?? ''
}
