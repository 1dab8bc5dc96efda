import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { temporaryFiles } from '../../test/temporary-files.ts'
import { readItemCsv, readItemLines } from './items.ts'

const files = temporaryFiles()

describe('items from CSV', () => {
  it('have attributes of the kind that all fields of a column are of', async () => {
    const path = files.write(
      'title,item,year,new,code,score\n1984,a,1949,true,007,1.5\n"Dune, part 1",b,,false,12,-2e3\n',
    )
    expect(await readItemCsv(path)).toEqual({
      skipped: 0,
      items: [
        {
          item: 'a',
          attributes: { title: '1984', year: 1949, new: true, code: '007', score: 1.5 },
        },
        { item: 'b', attributes: { title: 'Dune, part 1', new: false, code: '12', score: -2000 } },
      ],
    })
  })

  it('may have none', async () => {
    const { items } = await readItemCsv(files.write('item\na\n'))
    expect(items).toEqual([{ item: 'a', attributes: {} }])
  })

  it.each([
    ['no column item', 'name\na\n', /line 1: expected a header .* item/],
    [
      'an item twice',
      'item,x\na,1\na,2\n',
      /line 3, column 1 \(item\): expected an item that is not/,
    ],
    ['an item without a name', 'item,x\n,1\n', /line 2, column 1 \(item\): expected a name/],
    ['a row that is too short', 'item,x\na\n', /line 2: expected 2 fields/],
  ])('are refused with %s', async (_, text, message) => {
    await expect(readItemCsv(files.write(text))).rejects.toThrow(message)
  })

  it('are left out where a row is bad, if asked', async () => {
    const path = files.write('item,x\na,1\na,2\nb\nc,3\n')
    const { items, skipped } = await readItemCsv(path, { skipBadRows: true })
    expect([items.map(({ item }) => item), skipped]).toEqual([['a', 'c'], 2])
  })
})

describe('items from JSON Lines', () => {
  const attribute = fc.oneof(
    fc.string(),
    fc.boolean(),
    fc.integer(),
    fc.array(fc.string(), { maxLength: 3 }),
  )
  const item = fc.record({
    item: fc.string({ minLength: 1 }),
    attributes: fc.dictionary(fc.string(), attribute, { maxKeys: 3, noNullPrototype: true }),
  })

  it('are what was written', async () => {
    const lists = fc.uniqueArray(item, { selector: (entry) => entry.item, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(lists, async (items) => {
        const path = files.write(items.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
        expect(await readItemLines(path)).toEqual({ items, skipped: 0 })
      }),
      { numRuns: 30 },
    )
  })

  it('have no attributes unless they are given, and may be numbers', async () => {
    const { items } = await readItemLines(files.write('{"item":7}\n'))
    expect(items).toEqual([{ item: '7', attributes: {} }])
  })

  it.each([
    ['[1]', /item: expected a text or a number, got "nothing"/],
    ['{"item":"a","attributes":{"x":null}}', /attributes: expected an object of texts/],
    ['{"item":"a","attributes":{"x":[1]}}', /attributes: expected an object of texts/],
    ['{"item":"a","attributes":[]}', /attributes: expected an object of texts/],
    ['{"item":"a"}\n{"item":"a"}', /line 2, item: expected an item that is not there yet/],
    ['{', /expected a JSON object/],
  ])('refuse %s', async (line, message) => {
    await expect(readItemLines(files.write(line))).rejects.toThrow(message)
  })
})
