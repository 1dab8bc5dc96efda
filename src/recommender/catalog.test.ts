import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RenError } from '../core/errors.ts'
import { Catalog } from './catalog.ts'

const anyNames = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 40 })

describe('a catalog', () => {
  it('gives every name one row, and no row to two names', () => {
    fc.assert(
      fc.property(anyNames, (toggled) => {
        const catalog = new Catalog([])
        const given: string[] = []
        for (const name of toggled) {
          if (catalog.has(name)) {
            const row = catalog.row(name)
            catalog.remove([name])
            expect(catalog.removed.has(row)).toBe(true)
            expect(catalog.row(name)).toBe(row)
          } else {
            catalog.add([name])
            if (!given.includes(name)) given.push(name)
            expect(catalog.row(name)).toBe(given.indexOf(name))
          }
          expect(catalog.names).toEqual(given)
        }
      }),
    )
  })

  it('contains the items that were added and not removed since', () => {
    fc.assert(
      fc.property(anyNames, (toggled) => {
        const catalog = new Catalog([])
        const expected = new Set<string>()
        for (const name of toggled) {
          if (expected.delete(name)) catalog.remove([name])
          else {
            expected.add(name)
            catalog.add([name])
          }
        }
        const live = catalog.names.filter((_, row) => !catalog.removed.has(row))
        expect(new Set(live)).toEqual(expected)
        expect(live).toHaveLength(expected.size)
        expect(new Set(catalog.removedRows)).toEqual(catalog.removed)
        expect(catalog.removedRows).toHaveLength(catalog.removed.size)
        for (const name of 'abcde') expect(catalog.has(name)).toBe(expected.has(name))
      }),
    )
  })

  it('can be rebuilt from its names and its removed rows', () => {
    const catalog = new Catalog(['a', 'b'])
    catalog.remove(['a', 'b'])
    catalog.add(['c', 'a'])
    const again = new Catalog(catalog.names, catalog.removed)
    expect(again.row('a')).toBe(0)
    expect(again.has('a')).toBe(true)
    expect([...again.removed]).toEqual([1])
  })

  it('finds the last row of a name that several rows have', () => {
    const old = new Catalog(['a', 'b', 'a'], [0, 2])
    old.add(['a'])
    expect(old.row('a')).toBe(2)
    expect(old.names).toEqual(['a', 'b', 'a'])
    expect([...old.removedRows]).toEqual([0])
  })

  it('names the unknown item in the error', () => {
    const find = () => new Catalog(['a']).row('zebra')
    expect(find).toThrow(RenError)
    expect(find).toThrow(expect.objectContaining({ code: 'unknown-item' }))
    expect(find).toThrow('"zebra"')
  })
})
