import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { BadRows } from './columns.ts'
import { RowParser } from './read-rows.ts'
import { fieldText } from './split-row.ts'
import type { RowFormat } from './split-row.ts'

const csv: RowFormat = { delimiter: ',', quotes: true }
const doubleColon: RowFormat = { delimiter: '::' }

interface Parsed {
  rows: { line: number; fields: string[] }[]
  skipped: number
}

function parse(text: string | Uint8Array, format: RowFormat, chunkSize = 1 << 16): Parsed {
  const bytes = Buffer.from(text)
  const badRows = new BadRows('file', true)
  const rows: Parsed['rows'] = []
  const parser = new RowParser(format, badRows, (row, line) => {
    rows.push({ line, fields: row.map((_, field) => fieldText(row, field)) })
  })
  for (let at = 0; at < bytes.length; at += chunkSize) {
    parser.write(bytes.subarray(at, at + chunkSize))
  }
  parser.end()
  return { rows, skipped: badRows.count }
}

function fieldsOf(text: string, format: RowFormat): string[][] {
  return parse(text, format).rows.map(({ fields }) => fields)
}

describe('the row parser', () => {
  it('splits at one-character and two-character delimiters', () => {
    expect(fieldsOf('1\t2\n3\t4\n', { delimiter: '\t' })).toEqual([
      ['1', '2'],
      ['3', '4'],
    ])
    expect(fieldsOf('1::a:b::\n', doubleColon)).toEqual([['1', 'a:b', '']])
  })

  it('reads each line as one field without a delimiter', () => {
    expect(fieldsOf('{"a": 1, "b": 2}\nx', { delimiter: '' })).toEqual([
      ['{"a": 1, "b": 2}'],
      ['x'],
    ])
  })

  it('accepts CRLF, a byte order mark, empty lines and a last line without a line end', () => {
    const { rows } = parse('\uFEFFa,b\r\n\r\n\nc,d', csv)
    expect(rows).toEqual([
      { line: 1, fields: ['a', 'b'] },
      { line: 4, fields: ['c', 'd'] },
    ])
  })

  it('reads quoted fields with delimiters, quotes and line ends, and counts their lines', () => {
    const { rows, skipped } = parse('"a,""b""\r\nc",d\r\n"",e\n"f"', csv)
    expect(rows).toEqual([
      { line: 1, fields: ['a,"b"\r\nc', 'd'] },
      { line: 3, fields: ['', 'e'] },
      { line: 4, fields: ['f'] },
    ])
    expect(skipped).toBe(0)
  })

  it('does not interpret quotes in formats without them', () => {
    expect(fieldsOf('"a::b"\n', doubleColon)).toEqual([['"a', 'b"']])
  })

  it.each([
    ['a quote never closed', '1,2\n"3,4\n5,6\n'],
    ['text after a closing quote', '1,2\n"3"x,4\n5,6\n'],
    ['a quote in the middle of a bare field', '1,2\n3",4\n5,6\n'],
  ])('skips only the line with %s', (_, text) => {
    const { rows, skipped } = parse(text, csv)
    expect(skipped).toBe(1)
    expect(rows).toEqual([
      { line: 1, fields: ['1', '2'] },
      { line: 3, fields: ['5', '6'] },
    ])
  })

  it('reports the line of broken quotes', () => {
    const parser = new RowParser(csv, new BadRows('f.csv', false), () => {})
    parser.write(Buffer.from('a\n"b\nc"\n"d'))
    expect(() => parser.end()).toThrow(/^f\.csv, line 4 must be .*double quotes.*"\\"d"$/)
  })

  it('stops at a line of more than a megabyte instead of filling memory', () => {
    const long = Buffer.alloc((1 << 20) + 10, 0x61)
    expect(() => parse(long, csv)).toThrow(expect.objectContaining({ code: 'dataset-malformed' }))
  })

  it('skips a quote that stays open for a megabyte', () => {
    const count = (1 << 20) / 1000 + 1
    const { rows, skipped } = parse(`1\n"2\n${`${'3'.repeat(999)}\n`.repeat(count)}`, csv)
    expect(skipped).toBe(1)
    expect(rows.map(({ line }) => line)).toEqual([
      1,
      ...Array.from(rows.slice(1), (_, at) => 3 + at),
    ])
    expect(rows).toHaveLength(1 + Math.floor(count))
  })

  it('waits for the second half of a delimiter after a quoted line end', () => {
    const { rows, skipped } = parse('"a\nb"::c\n', { delimiter: '::', quotes: true }, 1)
    expect(rows).toEqual([{ line: 1, fields: ['a\nb', 'c'] }])
    expect(skipped).toBe(0)
  })

  it('parses any text equally in chunks of any size', () => {
    const piece = fc.constantFrom(
      'a',
      'bc',
      ',',
      ':',
      '::',
      '"',
      '""',
      '\n',
      '\r\n',
      '\r',
      'é',
      '\uFEFF',
    )
    const format = fc.constantFrom(csv, doubleColon, { delimiter: '::', quotes: true })
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        format,
        fc.integer({ min: 1, max: 7 }),
        (pieces, chosen, chunkSize) => {
          const text = pieces.join('')
          expect(parse(text, chosen, chunkSize)).toEqual(parse(text, chosen))
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('reads back any fields written as CSV', () => {
    const field = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', 'é') })
    const table = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }))
    fc.assert(
      fc.property(table, fc.integer({ min: 1, max: 9 }), (rows, chunkSize) => {
        const quoted = rows.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`))
        const text = quoted.map((row) => row.join(',')).join('\r\n')
        expect(parse(text, csv, chunkSize).rows.map(({ fields }) => fields)).toEqual(rows)
      }),
    )
  })
})
