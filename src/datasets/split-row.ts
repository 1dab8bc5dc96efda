// Splits delimited text into rows of fields. A text holds one byte per character (Latin-1), which
// splits fast, and `fieldText` decodes a field.

/** The format of a delimited text. */
export interface RowFormat {
  /** One or two ASCII characters; the empty string makes each line one field. */
  readonly delimiter: string
  /** Whether fields may be in double quotes, as in RFC 4180. Defaults to false. */
  readonly quotes?: boolean
}

/** The fields of a row, with one byte per character. */
export type Row = readonly string[]

/** Returns the text of one field. */
export function fieldText(row: Row, field: number): string {
  return Buffer.from(row[field]!, 'latin1').toString()
}

/** Values of `SplitRow.end` other than a position. */
export const incomplete = -1
export const brokenQuotes = -2

export const newline = '\n'
const carriageReturn = '\r'
const quote = '"'

interface SplitRow {
  readonly fields: Row
  /** The position after the row, `incomplete` or `brokenQuotes`. */
  readonly end: number
}

/** Splits the row that starts at `start`. With `whole`, nothing follows the text. */
export function splitRow(
  text: string,
  start: number,
  whole: boolean,
  { delimiter, quotes = false }: RowFormat,
): SplitRow {
  const found = text.indexOf(newline, start)
  const line = text.slice(start, found === -1 ? text.length : found)
  if (quotes && line.includes(quote)) return splitQuoted(text, start, whole, delimiter)
  if (found === -1 && !whole) return { fields: [], end: incomplete }
  const bare = line.endsWith(carriageReturn) ? line.slice(0, -1) : line
  const fields = delimiter === '' ? [bare] : bare.split(delimiter)
  return { fields, end: found === -1 ? text.length : found + 1 }
}

/** Splits a row that contains quotes. */
function splitQuoted(text: string, start: number, whole: boolean, delimiter: string): SplitRow {
  const fields: string[] = []
  for (let at = start; ; at += delimiter.length) {
    let field = ''
    if (text[at] === quote) {
      for (; ; field += quote) {
        const closing = text.indexOf(quote, at + 1)
        if (closing === -1) return { fields, end: whole ? brokenQuotes : incomplete }
        field += text.slice(at + 1, closing)
        at = closing + 1
        if (text[at] !== quote) break
      }
    } else {
      const from = at
      for (; at < text.length && !text.startsWith(delimiter, at); at++) {
        if (text[at] === quote) return { fields, end: brokenQuotes }
        if (rowEnd(text, at, true) !== brokenQuotes) break
      }
      field = text.slice(from, at)
    }
    fields.push(field)
    if (at + delimiter.length > text.length && !whole) return { fields, end: incomplete }
    if (!text.startsWith(delimiter, at)) return { fields, end: rowEnd(text, at, whole) }
  }
}

/**
 * Returns the position after the line end or end of text at `at`; `brokenQuotes` if there is
 * neither.
 */
function rowEnd(text: string, at: number, whole: boolean): number {
  const end = text[at] === carriageReturn ? at + 1 : at
  if (end < text.length) return text[end] === newline ? end + 1 : brokenQuotes
  return whole ? text.length : incomplete
}
