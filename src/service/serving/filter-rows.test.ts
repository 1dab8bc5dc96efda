import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { RenError } from '../../core/errors.ts'
import { Catalog } from '../../recommender/catalog.ts'
import type { Attributes } from '../../storage/index.ts'
import { CatalogAttributes } from './catalog-attributes.ts'
import { compileFilter, createFilterRows, type Filter } from './filter.ts'

const attributeNames = ['genre', 'year', 'free', 'constructor']
const single = fc.oneof(
  fc.constantFrom('a', 'b', 'c', ''),
  fc.integer({ min: -2, max: 2 }),
  fc.boolean(),
)
const attributesOf: fc.Arbitrary<Attributes> = fc.dictionary(
  fc.constantFrom(...attributeNames),
  fc.oneof(single, fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 })),
)
const attribute = fc.constantFrom(...attributeNames)
const ordered = fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: -2, max: 2 }))
const filters: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ attribute, equals: single }),
    fc.record({ attribute, in: fc.array(single, { maxLength: 4 }) }),
    fc.record({ attribute, lessThan: ordered }),
    fc.record({ attribute, greaterThan: ordered }),
    fc.record({ attribute, exists: fc.boolean() }),
    fc.record({ and: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ not: tie('filter') }),
  ),
})).filter

/** The naive implementation of filters. */
function naive(filter: Filter, attributes: Attributes): boolean {
  if ('and' in filter) return filter.and.every((one) => naive(one, attributes))
  if ('or' in filter) return filter.or.some((one) => naive(one, attributes))
  if ('not' in filter) return !naive(filter.not, attributes)
  const has = Object.keys(attributes).includes(filter.attribute)
  if ('exists' in filter) return filter.exists === has
  if (!has) return false
  const value = attributes[filter.attribute]!
  const equals = (wanted: unknown) =>
    Array.isArray(value) ? value.some((one) => one === wanted) : value === wanted
  if ('equals' in filter) return equals(filter.equals)
  if ('in' in filter) return filter.in.some(equals)
  if ('lessThan' in filter)
    return typeof value === typeof filter.lessThan && value < filter.lessThan
  return typeof value === typeof filter.greaterThan && value > filter.greaterThan
}

const catalogOf = (list: readonly Attributes[]) => {
  const names = list.map((_, i) => `item ${i}`)
  const attributes = new CatalogAttributes(new Map(list.map((one, i) => [names[i]!, one])))
  return { names, attributes, catalog: new Catalog(names) }
}

describe('a filter', () => {
  it('matches exactly the rows of a naive implementation', () => {
    fc.assert(
      fc.property(filters, fc.array(attributesOf, { maxLength: 12 }), (filter, list) => {
        const { attributes, catalog } = catalogOf(list)
        const expected = [...list.keys()].filter((row) => naive(filter, list[row]!))
        const rowsOf = createFilterRows(attributes, catalog)
        expect([...rowsOf(filter)]).toEqual(expected)
        expect(rowsOf(filter)).toBe(rowsOf(structuredClone(filter)))
      }),
    )
  })

  it('follows changes of the catalog', () => {
    const { attributes, catalog } = catalogOf([{ year: 1 }, { year: 2 }])
    const rowsOf = createFilterRows(attributes, catalog)
    const filter: Filter = { attribute: 'year', equals: 2 }
    expect([...rowsOf(filter)]).toEqual([1])
    const items = [{ item: 'item 0', attributes: { year: 2 } }]
    attributes.apply({ kind: 'items-put', items, time: 0 })
    expect([...rowsOf(filter)]).toEqual([0, 1])
    attributes.apply({ kind: 'items-removed', items: ['item 1'], time: 0 })
    expect([...rowsOf(filter)]).toEqual([0])
  })

  it.each<[unknown, RegExp]>([
    [null, /^filter must be an object, got null/],
    [[], /^filter must be an object, got an empty array/],
    [{}, /^filter must have exactly one of and, or, not/],
    [{ and: [], or: [] }, /^filter must have exactly one of .* got and, or/],
    [{ and: {} }, /^filter\.and must be an array/],
    [{ and: [{ or: [{ not: 3 }] }] }, /^filter\.and\[0\]\.or\[0\]\.not must be an object, got 3/],
    [{ equals: 1 }, /^filter must name an attribute/],
    [{ not: { attribute: 'a', exists: true }, attribute: 'b' }, /^filter must have not alone/],
    [{ attribute: 1, equals: 1 }, /^filter\.attribute must be a name, got 1/],
    [{ attribute: 'a', equals: null }, /^filter\.equals must be a string, a number or a boolean/],
    [{ attribute: 'a', equals: Number.NaN }, /^filter\.equals must be .*got NaN/],
    [{ attribute: 'a', in: 1 }, /^filter\.in must be an array, got 1/],
    [{ attribute: 'a', in: ['x', {}] }, /^filter\.in\[1\] must be a string/],
    [{ attribute: 'a', lessThan: true }, /^filter\.lessThan must be a number or a string/],
    [{ attribute: 'a', exists: 1 }, /^filter\.exists must be true or false, got 1/],
    [{ attribute: 'a', constructor: 1 }, /^filter must have exactly one of/],
  ])('%j is refused with the place of the error', (filter, message) => {
    expect(() => compileFilter(filter as Filter)).toThrow(RenError)
    expect(() => compileFilter(filter as Filter)).toThrow(message)
  })

  it('may have 16 levels and 1,000 conditions, and no more', () => {
    const leaf: Filter = { attribute: 'a', exists: true }
    const deep = (levels: number): Filter => (levels === 1 ? leaf : { not: deep(levels - 1) })
    expect(compileFilter(deep(16))({ a: 1 })).toBe(false)
    expect(() => compileFilter(deep(17))).toThrow(/must have at most 16 levels/)
    const wide = (count: number): Filter => ({ or: Array.from({ length: count }, () => leaf) })
    expect(compileFilter(wide(999))({ a: 1 })).toBe(true)
    expect(() => compileFilter(wide(1000))).toThrow(/at most 1000 conditions/)
  })
})
