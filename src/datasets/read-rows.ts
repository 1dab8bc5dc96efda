// Reads a file, plain or gzip, in chunks and splits it into rows with line numbers.

import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, gunzipSync } from 'node:zlib'

import { RenError } from '../core/errors.ts'
import { BadRows, malformed } from './columns.ts'
import { RowSplitter, brokenQuotes, incomplete, newline } from './split-row.ts'
import type { Row, RowFormat } from './split-row.ts'

/** A longer row, in bytes, means a file of another format or an unclosed quote. */
const longestRow = 1 << 20
const byteOrderMark = [0xef, 0xbb, 0xbf]

/**
 * Parses a text chunk by chunk and calls `onRow` with each row and the line, from 1, where it starts.
 * The row is valid only during the call. Skips empty lines; rejects rows with broken quotes.
 */
export class RowParser {
  readonly #path: string
  readonly #row: RowSplitter
  readonly #badRows: BadRows
  readonly #onRow: RowReader
  #pending: Uint8Array = Buffer.alloc(0)
  #line = 1

  constructor(path: string, format: RowFormat, badRows: BadRows, onRow: RowReader) {
    this.#path = path
    this.#row = new RowSplitter(format)
    this.#badRows = badRows
    this.#onRow = onRow
  }

  write(chunk: Uint8Array): void {
    this.#consume(this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk, false)
  }

  end(): void {
    this.#consume(this.#pending, true)
  }

  /** Parses the complete rows of `bytes` and retains the rest for the next chunk. */
  #consume(bytes: Uint8Array, last: boolean): void {
    const row = this.#row
    let start = 0
    while (start < bytes.length) {
      const line = this.#line
      const from = line === 1 ? start + markLength(bytes) : start
      const whole = last || bytes.length - from > longestRow
      const end = row.split(bytes, from, whole)
      // The end of a row with broken quotes is unknown, so only its first line is skipped.
      const next = end === brokenQuotes ? lineEnd(bytes, from, whole) : end
      if (next === incomplete) break
      if (next - from > longestRow) throw tooLong(this.#path, line)
      if (end === brokenQuotes) this.#rejectQuotes(bytes.subarray(from, next))
      else if (row.fieldCount > 1 || row.ends[0]! > row.starts[0]!) this.#onRow(row, line)
      const isOneLine = end === brokenQuotes || row.bytes === bytes
      this.#line += isOneLine ? 1 : countLines(bytes, from, next)
      start = next
    }
    this.#pending = bytes.subarray(start)
  }

  #rejectQuotes(bytes: Uint8Array): void {
    const text = Buffer.from(bytes).toString().trimEnd()
    const expected = 'fields in closed double quotes, inner quotes doubled'
    this.#badRows.reject({ line: this.#line }, expected, text)
  }
}

function markLength(bytes: Uint8Array): number {
  return byteOrderMark.every((byte, at) => bytes[at] === byte) ? byteOrderMark.length : 0
}

/** Returns the position after the line that starts at `start`. */
function lineEnd(bytes: Uint8Array, start: number, whole: boolean): number {
  const at = bytes.indexOf(newline, start)
  if (at !== -1) return at + 1
  return whole ? bytes.length : incomplete
}

/** Counts the lines of a row whose quoted fields may contain line ends. */
function countLines(bytes: Uint8Array, start: number, end: number): number {
  let count = 0
  for (let at = start; at < end; at = lineEnd(bytes, at, true)) count += 1
  return count
}

function tooLong(path: string, line: number): Error {
  return malformed(path, { line }, `a row of at most ${longestRow} bytes`, 'a longer one')
}

const chunkSize = 1 << 18

/**
 * Calls `onChunk` with the bytes of a file, after unpacking gzip. `hint` is for the error of a
 * missing file.
 */
async function readChunks(
  path: string,
  hint: string,
  onChunk: (chunk: Uint8Array) => void,
  onProgress?: (share: number) => void,
): Promise<void> {
  const file = await openFile(path, hint)
  try {
    const gzip = await isGzip(file)
    const bytes = file.createReadStream({ start: 0, highWaterMark: chunkSize })
    const { size } = await file.stat()
    const consume = async (chunks: AsyncIterable<Uint8Array>): Promise<void> => {
      for await (const chunk of chunks) {
        onChunk(chunk)
        onProgress?.(bytes.bytesRead / size)
      }
    }
    if (gzip) await pipeline(bytes, createGunzip({ chunkSize }), consume)
    else await pipeline(bytes, consume)
  } catch (error) {
    throw explain(path, error)
  } finally {
    await file.close()
  }
}

/** Returns at most `length` bytes from the start of a file, after unpacking gzip. */
export async function readStart(path: string, length: number): Promise<Buffer> {
  const file = await openFile(path, '')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0)
    const bytes = buffer.subarray(0, bytesRead)
    if (!(await isGzip(file))) return bytes
    // The packed data is incomplete, so decompression ends with a flush.
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, length)
  } catch (error) {
    throw explain(path, error)
  } finally {
    await file.close()
  }
}

async function openFile(path: string, hint: string): Promise<FileHandle> {
  try {
    return await open(path)
  } catch (error) {
    throw new RenError(
      'dataset-missing',
      `expected a file at ${path}, got ${codeOf(error) === 'ENOENT' ? 'none' : codeOf(error)}. ${hint}`.trimEnd(),
      { cause: error },
    )
  }
}

async function isGzip(file: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0)
  return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b
}

/**
 * Converts errors of unpacking and reading to errors of this package; returns other errors
 * unchanged.
 */
function explain(path: string, error: unknown): unknown {
  const code = codeOf(error)
  if (code.startsWith('Z_')) {
    const message = `${path}: expected whole gzip data, got damaged or cut off data (${code})`
    return new RenError('dataset-malformed', message, { cause: error })
  }
  if (code === 'EISDIR') {
    const message = `expected a file at ${path}, got a folder`
    return new RenError('dataset-missing', message, { cause: error })
  }
  return error
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Settings of every reader. */
export interface ReadOptions {
  /** Skip rows that cannot be read, and count them, instead of stopping at the first. */
  readonly skipBadRows?: boolean
  /** Called with the share of the file that has been read, from 0 to 1. */
  readonly onProgress?: (share: number) => void
}

/** A file to read. */
export interface LogFile {
  readonly path: string
  readonly format: RowFormat
  /** Where to get the file, for the error message if it is missing. */
  readonly hint?: string
}

/** Adds one row to the log, or rejects it. */
export type RowReader = (row: Row, line: number) => void

/**
 * Reads a file, plain or gzip, with the row reader from `createReader`. Returns the number of
 * skipped rows.
 */
export async function readRows(
  { path, format, hint = '' }: LogFile,
  { skipBadRows = false, onProgress }: ReadOptions,
  createReader: (badRows: BadRows) => RowReader,
): Promise<number> {
  const badRows = new BadRows(path, skipBadRows)
  const parser = new RowParser(path, format, badRows, createReader(badRows))
  await readChunks(path, hint, (chunk) => parser.write(chunk), onProgress)
  parser.end()
  return badRows.count
}
