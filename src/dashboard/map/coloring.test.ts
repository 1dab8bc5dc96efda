import { describe, expect, it } from 'vitest'
import fc from 'fast-check'

import { coloringOf, maxCategories, shadeColors, type ColoringName } from './coloring.ts'

const columns = fc.array(
  fc.record({
    impressions: fc.nat(1e6),
    uncertainty: fc.double({ min: 0, max: 1, noNaN: true }),
    category: fc.option(fc.constantFrom(...'abcdefghijkl'.split(''))),
  }),
  { maxLength: 60 },
)
type Row = { impressions: number; uncertainty: number; category: string | null }
const toColumns = (rows: readonly Row[]) => ({
  impressions: rows.map((row) => row.impressions),
  uncertainty: rows.map((row) => row.uncertainty),
  category: rows.map((row) => row.category),
})

describe('the colors of the map', () => {
  it('give each item one color, and paint higher values on top', () => {
    fc.assert(
      fc.property(columns, (rows) => {
        for (const name of ['impressions', 'uncertainty', 'category'] as ColoringName[]) {
          const { classes, order, colors } = coloringOf(name, toColumns(rows), 'kind')
          expect(classes.length).toBe(rows.length)
          expect([...order].toSorted((a, b) => a - b)).toEqual(rows.map((_, i) => i))
          expect(classes.every((one) => one < colors.length)).toBe(true)
          // Categories are mixed, and all are above items without one.
          const layers = name === 'category' ? 1 : colors.length
          const painted = [...order].map((i) => Math.min(layers, classes[i]!))
          expect(painted).toEqual(painted.toSorted((a, b) => a - b))
        }
      }),
    )
  })

  it('grow with the values, from the first shade to the last', () => {
    fc.assert(
      fc.property(columns, (rows) => {
        for (const name of ['impressions', 'uncertainty'] as const) {
          const least = Math.min(...rows.map((row) => row[name]))
          const { classes } = coloringOf(name, toColumns(rows), '')
          for (const [i, row] of rows.entries()) {
            for (const [j, other] of rows.entries()) {
              if (row[name] === least) expect(classes[i]).toBe(0)
              if (row[name] <= other[name]) expect(classes[i]).toBeLessThanOrEqual(classes[j]!)
            }
          }
        }
      }),
      { numRuns: 30 },
    )
    const { classes, legend } = coloringOf(
      'impressions',
      { impressions: [0, 9, 99], uncertainty: [], category: null },
      '',
    )
    expect([...classes]).toEqual([0, 16, shadeColors.length - 1])
    expect(legend).toMatchObject({ ticks: ['0', '9', '99'] })
    const same = { impressions: [], uncertainty: [1, 1], category: null }
    expect(coloringOf('uncertainty', same, '').legend).toMatchObject({ ticks: ['1'] })
  })

  it('name the largest categories with their sizes, and combine the others', () => {
    const category = [...'aaabbcdefghij'.split(''), null]
    const { classes, legend } = coloringOf(
      'category',
      { category, impressions: category.map(() => 0), uncertainty: [] },
      'kind',
    )
    expect([...classes]).toEqual([1, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0])
    if (legend.kind !== 'classes') throw new Error('expected a legend of classes')
    expect(legend.entries.length).toBe(maxCategories + 1)
    expect(legend.entries[0]!.text).toBe('a (3)')
    expect(legend.entries.at(-1)!.text).toBe('other (3)')
  })
})
