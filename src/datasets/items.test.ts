import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { temporaryFiles } from '../../test/temporary-files.ts'
import { readMovieLensItems, readItemCsv, readItemLines } from './items.ts'
import { detectItemFormat, detectLogFormat } from './published.ts'

const { folder, write } = temporaryFiles()

/** A file of Latin-1 bytes, packed where its name says so. */
function writeLatin1(text: string, name: string): string {
  const bytes = Buffer.from(text, 'latin1')
  const path = join(folder, name)
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(bytes) : bytes)
  return path
}

const flags = (...set: number[]): string =>
  Array.from({ length: 19 }, (_, flag) => (set.includes(flag) ? '1' : '0')).join('|')
const movies = "1::Café: a fable (1987)::Comedy|Children's\n20::Untimely::\n"
const uItem =
  `1|Señor Nobody (1991)|02-Mar-1992||http://example.org/?1|${flags(4, 5)}\n` +
  `2|Dateless|07-Jul-1990|||${flags(8)}\n3|unknown||||${flags(0)}\n`

describe('movies of MovieLens', () => {
  it.each(['movies.dat', 'movies.dat.gz'])('are read from %s', async (name) => {
    const path = writeLatin1(movies, name)
    expect(await detectItemFormat(path)).toBe('movielens-1m')
    expect(await readMovieLensItems(path, 'movielens-1m')).toEqual({
      skipped: 0,
      items: [
        {
          item: '1',
          attributes: { title: 'Café: a fable', year: 1987, genres: ['Comedy', "Children's"] },
        },
        { item: '20', attributes: { title: 'Untimely', genres: [] } },
      ],
    })
  })

  it.each(['u.item', 'u.item.gz'])('are read from %s', async (name) => {
    const path = writeLatin1(uItem, name)
    expect(await detectItemFormat(path)).toBe('movielens-100k')
    const { items, skipped } = await readMovieLensItems(path, 'movielens-100k')
    expect(skipped).toBe(0)
    expect(items).toEqual([
      {
        item: '1',
        attributes: { title: 'Señor Nobody', year: 1991, genres: ["Children's", 'Comedy'] },
      },
      { item: '2', attributes: { title: 'Dateless', year: 1990, genres: ['Drama'] } },
      { item: '3', attributes: { title: 'unknown', genres: [] } },
    ])
  })

  it('are read from a copy in UTF-8, too', async () => {
    const { items } = await readMovieLensItems(write(movies, 'utf8.dat'), 'movielens-1m')
    expect(items[0]!.attributes['title']).toBe('Café: a fable')
  })

  it.each([
    ['a row without genres', 'movielens-1m', '1::A (1999)\n', /line 1 must be a row of 3 fields/],
    ['a name for a number', 'movielens-1m', 'x::A (1999)::War\n', /\(movie\) must be the number/],
    ['a movie twice', 'movielens-1m', '1::A::War\n1::B::War\n', /line 2.*occurs once/],
    [
      'a flag that is none',
      'movielens-100k',
      `1|A||||2${flags().slice(1)}\n`,
      /\(unknown\) must be flags of 0 or 1, got "2"/,
    ],
  ] as const)('are refused with %s', async (_, dataset, text, message) => {
    const path = write(text)
    await expect(readMovieLensItems(path, dataset)).rejects.toThrow(message)
    const { skipped } = await readMovieLensItems(path, dataset, { skipBadRows: true })
    expect(skipped).toBe(1)
  })
})

describe('the format of a catalog', () => {
  it.each([
    ['jsonl', '\n{"item":"a"}\n'],
    ['csv', 'item,title\na,b\n'],
    ['csv', '\uFEFFitem|title\n1|b\n'],
    ['csv', ''],
    ['movielens-1m', '7::A::B (2000)::War\n'],
  ])('is %s if the file starts with %j', async (format, text) => {
    expect(await detectItemFormat(write(text))).toBe(format)
  })

  it('is recognized by the start of a long file', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => `${i + 1}::Film ${i} (1990)::War\n`)
    expect(await detectItemFormat(writeLatin1(rows.join(''), 'long.dat.gz'))).toBe('movielens-1m')
  })

  it('refuses a file that does not exist', async () => {
    await expect(detectItemFormat(join(folder, 'none'))).rejects.toThrow(/must be a file, got none/)
  })
})

describe('the format of a log', () => {
  it.each([
    ['movielens-1m', '1::20::5::978300760\r\n'],
    ['movielens-100k', '1\t20\t5\t881250949\n'],
    ['jsonl', '{"user":"a"}\n'],
    ['csv', 'time,item,user\n'],
    [null, 'hello\n'],
    [null, ''],
  ])('is %s if the file starts with %j', async (format, text) => {
    expect(await detectLogFormat(write(text))).toBe(format)
  })
})

const files = temporaryFiles()

describe('items from CSV', () => {
  it('have attributes of the type that all fields of a column share', async () => {
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
    ['no column item', 'name\na\n', /line 1 must be a header .* item/],
    [
      'an item twice',
      'item,x\na,1\na,2\n',
      /line 3, column 1 \(item\) must be an item that occurs once/,
    ],
    ['an item without a name', 'item,x\n,1\n', /line 2, column 1 \(item\) must be a name/],
    ['a row that is too short', 'item,x\na\n', /line 2 must be a row of 2 fields/],
  ])('are refused with %s', async (_, text, message) => {
    await expect(readItemCsv(files.write(text))).rejects.toThrow(message)
  })

  it('are skipped if their row is bad, on request', async () => {
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

  it('equal the written items', async () => {
    const lists = fc.uniqueArray(item, { selector: (entry) => entry.item, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(lists, async (items) => {
        const path = files.write(items.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
        expect(await readItemLines(path)).toEqual({ items, skipped: 0 })
      }),
      { numRuns: 30 },
    )
  })

  it('may have no attributes, and numbers as names', async () => {
    const { items } = await readItemLines(files.write('{"item":7}\n'))
    expect(items).toEqual([{ item: '7', attributes: {} }])
  })

  it.each([
    ['[1]', /item must be a text or a number, got "nothing"/],
    ['{"item":"a","attributes":{"x":null}}', /attributes must be an object of texts/],
    ['{"item":"a","attributes":{"x":[1]}}', /attributes must be an object of texts/],
    ['{"item":"a","attributes":[]}', /attributes must be an object of texts/],
    ['{"item":"a"}\n{"item":"a"}', /line 2, item must be an item that occurs once/],
    ['{', /must be a JSON object/],
  ])('refuse %s', async (line, message) => {
    await expect(readItemLines(files.write(line))).rejects.toThrow(message)
  })
})
