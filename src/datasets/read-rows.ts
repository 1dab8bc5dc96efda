// Reads a file, plain or gzip, in chunks and splits it into rows with line numbers.

import { open, type FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, gunzipSync } from 'node:zlib'

import { RenError } from '../core/errors.ts'
import { BadRows } from './columns.ts'
import { brokenQuotes, fieldText, incomplete, newline, splitRow } from './split-row.ts'
import type { Row, RowFormat } from './split-row.ts'

/** A longer row, in bytes, means a file of another format or an unclosed quote. */
const longestRow = 1 << 20
const byteOrderMark = '\u00ef\u00bb\u00bf'

/**
 * Parses a text chunk by chunk and calls `onRow` with each row and the line, from 1, where it starts.
 * Skips empty lines; rejects rows with broken quotes.
 */
export class RowParser {
  readonly #format: RowFormat
  readonly #badRows: BadRows
  readonly #onRow: RowReader
  #pending = ''
  #line = 1

  constructor(format: RowFormat, badRows: BadRows, onRow: RowReader) {
    this.#format = format
    this.#badRows = badRows
    this.#onRow = onRow
  }

  write(chunk: Buffer): void {
    this.#consume(this.#pending + chunk.toString('latin1'), false)
  }

  end(): void {
    this.#consume(this.#pending, true)
  }

  /** Parses the complete rows of a text and retains the rest for the next chunk. */
  #consume(text: string, last: boolean): void {
    let start = 0
    while (start < text.length) {
      const hasMark = this.#line === 1 && text.startsWith(byteOrderMark)
      const from = start + (hasMark ? byteOrderMark.length : 0)
      const whole = last || text.length - from > longestRow
      const { fields, end } = splitRow(text, from, whole, this.#format)
      // The end of a row with broken quotes is unknown, so only its first line is skipped.
      const next = end === brokenQuotes ? lineEnd(text, from, whole) : end
      if (next === incomplete) break
      if (next - from > longestRow) {
        const expected = `a row of at most ${longestRow} bytes`
        throw this.#badRows.malformed({ line: this.#line }, expected, 'a longer one')
      }
      if (end === brokenQuotes) this.#rejectQuotes(text.slice(from, next))
      else if (fields.length > 1 || fields[0] !== '') this.#onRow(fields, this.#line)
      this.#line += countLines(text, from, next)
      start = next
    }
    this.#pending = text.slice(start)
  }

  #rejectQuotes(line: string): void {
    const expected = 'fields in closed double quotes, inner quotes doubled'
    this.#badRows.reject({ line: this.#line }, expected, fieldText([line], 0).trimEnd())
  }
}

/** Returns the position after the line that starts at `start`. */
function lineEnd(text: string, start: number, whole: boolean): number {
  const at = text.indexOf(newline, start)
  if (at !== -1) return at + 1
  return whole ? text.length : incomplete
}

/** Counts the lines of a row whose quoted fields may contain line ends. */
function countLines(text: string, start: number, end: number): number {
  let count = 0
  for (let at = start; at < end; at = lineEnd(text, at, true)) count += 1
  return count
}

const chunkSize = 1 << 18

/**
 * Calls `onChunk` with the bytes of a file, after unpacking gzip. `hint` is for the error of a
 * missing file.
 */
async function readChunks(
  path: string,
  hint: string,
  onChunk: (chunk: Buffer) => void,
  onProgress?: (share: number) => void,
): Promise<void> {
  await withFile(path, hint, async (file, gzip) => {
    const bytes = file.createReadStream({ start: 0, highWaterMark: chunkSize })
    const { size } = await file.stat()
    const consume = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
      for await (const chunk of chunks) {
        onChunk(chunk)
        onProgress?.(bytes.bytesRead / size)
      }
    }
    if (gzip) await pipeline(bytes, createGunzip({ chunkSize }), consume)
    else await pipeline(bytes, consume)
  })
}

/** Returns at most `length` bytes from the start of a file, after unpacking gzip. */
export function readStart(path: string, length: number): Promise<Buffer> {
  return withFile(path, '', async (file, gzip) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0)
    const bytes = buffer.subarray(0, bytesRead)
    if (!gzip) return bytes
    // The packed data is incomplete, so decompression ends with a flush.
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, length)
  })
}

/** Runs `body` with an open file and whether it is gzip, and closes the file afterwards. */
async function withFile<T>(
  path: string,
  hint: string,
  body: (file: FileHandle, gzip: boolean) => Promise<T>,
): Promise<T> {
  const file = await open(path).catch((cause: unknown) => {
    const got = codeOf(cause) === 'ENOENT' ? 'none' : codeOf(cause)
    const message = `${path} must be a file, got ${got}. ${hint}`.trimEnd()
    throw new RenError('dataset-missing', message, { cause })
  })
  try {
    return await body(file, await isGzip(file))
  } catch (error) {
    throw explain(path, error)
  } finally {
    await file.close()
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
    const message = `${path} must be whole gzip data, got damaged or cut off data (${code})`
    return new RenError('dataset-malformed', message, { cause: error })
  }
  if (code === 'EISDIR') {
    const message = `${path} must be a file, got a folder`
    return new RenError('dataset-missing', message, { cause: error })
  }
  return error
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Settings of every reader. */
export interface ReadOptions {
  /**
   * Whether to skip rows that cannot be read, and count them, instead of stopping at the first.
   * Defaults to false.
   */
  readonly skipBadRows?: boolean
  /** The name of the file in messages about its rows. Defaults to its path. */
  readonly name?: string
  /** Called with the share of the file that has been read, from 0 to 1. Defaults to no calls. */
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
  { skipBadRows = false, name = path, onProgress }: ReadOptions,
  createReader: (badRows: BadRows) => RowReader,
): Promise<number> {
  const badRows = new BadRows(name, skipBadRows)
  const parser = new RowParser(format, badRows, createReader(badRows))
  await readChunks(path, hint, (chunk) => parser.write(chunk), onProgress)
  parser.end()
  return badRows.count
}
