// The last durable commit of a store, in a small file beside it. If the store ends before this commit, it
// has lost acknowledged writes: SQLite ends at the first damaged frame of a write-ahead log, and opens an
// empty file as a new database, both without an error.
//
// Each writer writes to a place of its own after each commit, and the last of them counts. A crash between
// a commit and this write leaves an earlier number, which is harmless.

import { randomInt } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fsyncSync,
  openSync,
  readFileSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { crc32 } from 'node:zlib'

import { RenError } from '../../core/errors.ts'
import type { Position } from '../log-event.ts'
import { syncFolder } from './place.ts'

/** A commit of a store. */
export interface Commit {
  /** The identity of the store. Backups and restored stores have their own. */
  readonly identity: string
  /** The number of commits up to this one. */
  readonly commits: number
  readonly head: Position
}

/** Appended to the path of the store. */
const suffix = '-commits'
const places = 64
const placeBytes = 64

const encode = ({ identity, commits, head }: Commit): Buffer => {
  const text = `${identity} ${commits} ${head}`
  return Buffer.from(`${text} ${crc32(text)}`.padEnd(placeBytes - 1) + '\n')
}

/** Null for an empty or damaged place. */
function decode(bytes: Buffer): Commit | null {
  const [identity = '', commits, head, checksum] = bytes.toString('latin1').trimEnd().split(' ')
  if (crc32(`${identity} ${commits} ${head}`) !== Number(checksum)) return null
  return { identity, commits: Number(commits), head: Number(head) }
}

/** The last commits of all writers; none if the file is missing. */
export function readCommits(path: string): readonly Commit[] {
  const file = path + suffix
  if (!existsSync(file)) return []
  const bytes = readFileSync(file)
  return Array.from({ length: places }, (_, place) =>
    decode(bytes.subarray(place * placeBytes, (place + 1) * placeBytes)),
  ).filter((commit) => commit !== null)
}

/** Empties the file of a store that was deleted. */
export function clearCommits(path: string): void {
  if (existsSync(path + suffix)) truncateSync(path + suffix)
}

/**
 * Throws `store-damaged` if a commit of the store is missing.
 *
 * @param commits Must be read before `last`, since others may write meanwhile.
 * @param last The last commit in the file of the store; null if it has no tables.
 */
export function requireCommits(path: string, commits: readonly Commit[], last: Commit | null) {
  const own = commits.filter(({ identity }) => last === null || last.identity === identity)
  const [newest] = own.toSorted((one, other) => other.commits - one.commits)
  if (newest === undefined || newest.commits <= (last?.commits ?? 0)) return
  throw new RenError(
    'store-damaged',
    `the store at ${path} has lost its last ${newest.commits - (last?.commits ?? 0)} commits: ` +
      `it ends at event ${last?.head ?? 0} instead of ${newest.head}. Its file or ` +
      `its write-ahead log (${path}-wal) is damaged, was deleted or was replaced. Restore a backup, ` +
      `or delete ${path}${suffix} to continue without the lost writes`,
  )
}

/** Milliseconds between two syncs: a crash of the process loses no write, only one of the machine does. */
const syncMs = 100

export type CommitFile = ReturnType<typeof openCommitFile>

/** Opens the file for one writer, and creates it if it does not exist. */
export function openCommitFile(path: string) {
  const isNew = !existsSync(path + suffix)
  const file = openSync(path + suffix, constants.O_RDWR | constants.O_CREAT, 0o644)
  // Later writes need no space on the disk. The last byte is the same in every writer.
  writeSync(file, '\n', places * placeBytes - 1)
  fsyncSync(file)
  if (isNew) syncFolder(path)
  const start = randomInt(places) * placeBytes
  let syncing: NodeJS.Timeout | undefined
  return {
    /** Call it after each commit. */
    write(commit: Commit): void {
      try {
        writeSync(file, encode(commit), 0, placeBytes, start)
      } catch (cause) {
        const message = `the store has committed, but ${path}${suffix} could not be written`
        throw new RenError('outcome-unknown', message, { cause })
      }
      syncing ??= setTimeout(() => {
        syncing = undefined
        fdatasync(file, () => {}) // an error of the disk also fails the next commit
      }, syncMs)
    },
    close(): void {
      clearTimeout(syncing)
      closeSync(file)
    },
  }
}
