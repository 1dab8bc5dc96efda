// Splits a row of delimited text into fields. Fields stay bytes; the reader of the row decides which
// of them become numbers or names.

/** The format of a delimited text. */
export interface RowFormat {
  /** One or two ASCII characters; the empty string makes each line one field. */
  readonly delimiter: string
  /** Whether fields may be in double quotes, as in RFC 4180. Defaults to false. */
  readonly quotes?: boolean
}

/** One row; field `f` is bytes [starts[f], ends[f]). */
export interface Row {
  readonly bytes: Uint8Array
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  readonly fieldCount: number
}

/** Returns the text of one field. */
export function fieldText(row: Row, field: number): string {
  return Buffer.from(row.bytes.subarray(row.starts[field], row.ends[field])).toString()
}

/** Results of `RowSplitter.split` other than a position. */
export const incomplete = -1
export const brokenQuotes = -2

export const newline = 0x0a
const carriageReturn = 0x0d
const quote = 0x22
const none = -1 // no byte

/** Splits rows one after another. The instance itself is the last row. */
export class RowSplitter implements Row {
  bytes: Uint8Array = Buffer.alloc(0)
  readonly starts: number[] = []
  readonly ends: number[] = []
  fieldCount = 0
  readonly #first: number
  readonly #second: number
  readonly #width: number
  readonly #openingQuote: number
  #unquoted: Uint8Array = Buffer.alloc(0)

  constructor({ delimiter, quotes = false }: RowFormat) {
    this.#first = delimiter.length > 0 ? delimiter.charCodeAt(0) : none
    this.#second = delimiter.length > 1 ? delimiter.charCodeAt(1) : none
    this.#width = Math.max(1, delimiter.length)
    this.#openingQuote = quotes ? quote : none
  }

  /**
   * Splits the row that starts at `start`. Returns the position after it, or `incomplete`, or
   * `brokenQuotes`. With `whole`, the text ends with the bytes.
   */
  split(bytes: Uint8Array, start: number, whole: boolean): number {
    const first = this.#first
    const second = this.#second
    this.bytes = bytes
    this.fieldCount = 0
    let fieldStart = start
    for (let at = start; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte === newline) {
        this.#endRow(fieldStart, at)
        return at + 1
      }
      if (byte === first && (second === none || bytes[at + 1] === second)) {
        this.#endField(fieldStart, at)
        at += this.#width - 1
        fieldStart = at + 1
      } else if (byte === this.#openingQuote) {
        return this.#splitQuoted(bytes, start, whole)
      }
    }
    if (!whole) return incomplete
    this.#endRow(fieldStart, bytes.length)
    return bytes.length
  }

  /** Splits a row that contains quotes: writes its fields without quotes to a second buffer. */
  #splitQuoted(bytes: Uint8Array, start: number, whole: boolean): number {
    if (this.#unquoted.length < bytes.length) this.#unquoted = Buffer.alloc(bytes.length)
    const unquoted = this.#unquoted
    this.bytes = unquoted
    this.fieldCount = 0
    let written = 0
    for (let at = start; ; at += this.#width) {
      const fieldStart = written
      if (bytes[at] === quote) {
        for (at += 1; ; at++) {
          if (at >= bytes.length) return whole ? brokenQuotes : incomplete
          if (bytes[at] === quote && bytes[++at] !== quote) break
          unquoted[written++] = bytes[at]!
        }
      } else {
        for (; at < bytes.length && !this.#endsField(bytes, at); at++) {
          if (bytes[at] === quote) return brokenQuotes
          unquoted[written++] = bytes[at]!
        }
      }
      this.#endField(fieldStart, written)
      if (at + this.#width > bytes.length && !whole) return incomplete
      if (!this.#isDelimiter(bytes, at)) return rowEnd(bytes, at, whole)
    }
  }

  #endField(start: number, end: number): void {
    this.starts[this.fieldCount] = start
    this.ends[this.fieldCount] = end
    this.fieldCount += 1
  }

  #endRow(start: number, end: number): void {
    const crlf = end > start && this.bytes[end - 1] === carriageReturn
    this.#endField(start, crlf ? end - 1 : end)
  }

  #isDelimiter(bytes: Uint8Array, at: number): boolean {
    return bytes[at] === this.#first && (this.#second === none || bytes[at + 1] === this.#second)
  }

  #endsField(bytes: Uint8Array, at: number): boolean {
    return this.#isDelimiter(bytes, at) || rowEnd(bytes, at, true) !== brokenQuotes
  }
}

/**
 * Returns the position after the line end or end of text at `at`; `brokenQuotes` if there is
 * neither.
 */
function rowEnd(bytes: Uint8Array, at: number, whole: boolean): number {
  const end = bytes[at] === carriageReturn ? at + 1 : at
  if (end < bytes.length) return bytes[end] === newline ? end + 1 : brokenQuotes
  return whole ? bytes.length : incomplete
}
