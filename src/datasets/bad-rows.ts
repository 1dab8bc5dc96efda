// What becomes of a row that cannot be read: an error that names the place, or a count.

import { RenError } from '../core/errors.ts'

/** Where a file is wrong: a line and, if not the whole row, a field of it. Both count from 1. */
export interface Place {
  readonly line: number
  readonly column?: number
  /** What the field holds. */
  readonly name?: string
}

/** Decides between stopping at a bad row and skipping it. */
export interface BadRows {
  /** Throws `dataset-malformed`, or counts the row if bad rows are to be skipped. */
  reject(place: Place, expected: string, got: string): void
  readonly count: number
}

/** Stops at the first bad row of `path`, or with `skip` counts them. */
export function createBadRows(path: string, skip: boolean): BadRows {
  let count = 0
  return {
    get count() {
      return count
    },
    reject(place, expected, got) {
      if (!skip) throw malformed(path, place, expected, got)
      count += 1
    },
  }
}

/** The error for a text that breaks its format. */
export function malformed(path: string, place: Place, expected: string, got: string): RenError {
  return new RenError(
    'dataset-malformed',
    `${path}, ${describe(place)}: expected ${expected}, got ${quote(got)}`,
  )
}

function describe({ line, column, name }: Place): string {
  if (name === undefined) return `line ${line}`
  return column === undefined ? `line ${line}, ${name}` : `line ${line}, column ${column} (${name})`
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
