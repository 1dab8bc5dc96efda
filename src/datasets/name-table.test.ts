import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { NameTable } from './name-table.ts'

const bytesOf = (text: string): string => Buffer.from(text).toString('latin1')

describe('a name table', () => {
  it('numbers distinct names in order of first appearance, whatever the names', () => {
    const name = fc.oneof(fc.string({ unit: 'binary' }), fc.nat(3000).map(String))
    fc.assert(
      fc.property(fc.array(name, { size: 'large' }), (texts) => {
        const table = new NameTable()
        const expected = [...new Set(texts)].filter((text) => text !== '')
        const indices = texts.map((text) => table.indexOf(bytesOf(text)))
        expect(indices).toEqual(texts.map((text) => expected.indexOf(text)))
        expect(table.names).toEqual(expected)
      }),
      { numRuns: 30 },
    )
  })

  it('retains its indices while it grows', () => {
    const table = new NameTable()
    const indexOf = (text: string): number => table.indexOf(text)
    const values = Array.from({ length: 5000 }, (_, value) => value)
    expect(values.map((value) => indexOf(`n${value}`))).toEqual(values)
    expect(values.map((value) => indexOf(`n${value}`))).toEqual(values)
  })

  it('returns -1 for bytes that are not UTF-8', () => {
    const table = new NameTable()
    expect(table.indexOf('\u00e9!')).toBe(-1)
    expect(table.names).toEqual([])
  })
})
