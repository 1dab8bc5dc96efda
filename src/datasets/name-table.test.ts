import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { NameTable } from './name-table.ts'

describe('a name table', () => {
  it('numbers distinct names in order of first appearance, whatever the names', () => {
    const name = fc.oneof(fc.string({ unit: 'binary' }), fc.nat(3000).map(String))
    fc.assert(
      fc.property(fc.array(name, { size: 'large' }), (texts) => {
        const table = new NameTable()
        const expected = [...new Set(texts)]
        const indices = texts.map((text) => {
          const bytes = Buffer.from(text)
          return table.indexOf(bytes, 0, bytes.length)
        })
        expect(indices).toEqual(texts.map((text) => expected.indexOf(text)))
        expect(table.names).toEqual(expected)
      }),
      { numRuns: 30 },
    )
  })

  it('retains its indices while it grows', () => {
    const table = new NameTable()
    const indexOf = (text: string): number => table.indexOf(Buffer.from(text), 0, text.length)
    const values = Array.from({ length: 5000 }, (_, value) => value)
    expect(values.map((value) => indexOf(`n${value}`))).toEqual(values)
    expect(values.map((value) => indexOf(`n${value}`))).toEqual(values)
  })

  it('reads only the given bytes and copies them', () => {
    const table = new NameTable()
    const bytes = Buffer.from('xabx')
    expect(table.indexOf(bytes, 1, 3)).toBe(0)
    bytes.fill(0x7a)
    expect(table.indexOf(Buffer.from('ab'), 0, 2)).toBe(0)
    expect(table.names).toEqual(['ab'])
  })

  it('returns -1 for bytes that are not UTF-8', () => {
    const table = new NameTable()
    expect(table.indexOf(Uint8Array.of(0xe9, 0x21), 0, 2)).toBe(-1)
    expect(table.names).toEqual([])
  })
})
