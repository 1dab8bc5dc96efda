import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RenError } from '../core/errors.ts'
import { createCatalogue } from './catalogue.ts'

const anyNames = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 40 })

describe('a catalogue', () => {
  it('gives every name one row, and never gives it to another', () => {
    fc.assert(
      fc.property(anyNames, (toggled) => {
        const catalogue = createCatalogue([])
        const given: string[] = []
        for (const name of toggled) {
          if (catalogue.has(name)) {
            const row = catalogue.row(name)
            catalogue.remove([name])
            expect(catalogue.removed.has(row)).toBe(true)
            expect(catalogue.row(name)).toBe(row)
          } else {
            catalogue.add([name])
            if (!given.includes(name)) given.push(name)
            expect(catalogue.row(name)).toBe(given.indexOf(name))
          }
          expect(catalogue.names).toEqual(given)
        }
      }),
    )
  })

  it('has what was added and not removed since', () => {
    fc.assert(
      fc.property(anyNames, (toggled) => {
        const catalogue = createCatalogue([])
        const expected = new Set<string>()
        for (const name of toggled) {
          if (expected.delete(name)) catalogue.remove([name])
          else {
            expected.add(name)
            catalogue.add([name])
          }
        }
        const live = catalogue.names.filter((_, row) => !catalogue.removed.has(row))
        expect(new Set(live)).toEqual(expected)
        expect(live).toHaveLength(expected.size)
        expect(new Set(catalogue.removedRows)).toEqual(catalogue.removed)
        expect(catalogue.removedRows).toHaveLength(catalogue.removed.size)
        for (const name of 'abcde') expect(catalogue.has(name)).toBe(expected.has(name))
      }),
    )
  })

  it('is the same again from its names and what was removed', () => {
    const catalogue = createCatalogue(['a', 'b'])
    catalogue.remove(['a', 'b'])
    catalogue.add(['c', 'a'])
    const again = createCatalogue(catalogue.names, catalogue.removed)
    expect(again.row('a')).toBe(0)
    expect(again.has('a')).toBe(true)
    expect([...again.removed]).toEqual([1])
  })

  it('knows a name that stands for several rows by the last of them', () => {
    const old = createCatalogue(['a', 'b', 'a'], [0, 2])
    old.add(['a'])
    expect(old.row('a')).toBe(2)
    expect(old.names).toEqual(['a', 'b', 'a'])
    expect([...old.removedRows]).toEqual([0])
  })

  it('names the item that it never had', () => {
    const find = () => createCatalogue(['a']).row('zebra')
    expect(find).toThrow(RenError)
    expect(find).toThrow(expect.objectContaining({ code: 'unknown-item' }))
    expect(find).toThrow('"zebra"')
  })
})
