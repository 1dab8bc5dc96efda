// Tests the readers on small files and, if they are available, on the published files.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'

import { byUser } from '../core/log.ts'
import type { InteractionLog } from '../core/log.ts'
import { publishedDatasets, readCsv, readDataset, readJsonLines } from './index.ts'
import type { DatasetName } from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'ren-datasets-'))
afterAll(() => rmSync(folder, { recursive: true }))

let fileCount = 0
function fileOf(content: string | Uint8Array, name = `file-${fileCount++}`): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

/** Formats each row of the log as `user item reward time`. */
function wordsOf(log: InteractionLog): string[] {
  return [...log.users].map((user, row) => {
    const names = `${log.userNames[user]} ${log.itemNames[log.items[row]!]}`
    return `${names} ${log.rewards[row]} ${log.times[row]}`
  })
}

/** A number that its text gives back. */
const withoutMinusZero = (value: number): number => value + 0

describe('readCsv', () => {
  it('finds its columns by the header, in any order, and ignores other columns', async () => {
    const path = fileOf('time,color,item,reward,user\r\n7,red,x,0.5,ann\r\n3,blue,"y,z",2,ann\r\n')
    const { log, skipped } = await readCsv(path)
    expect(wordsOf(log)).toEqual(['ann y,z 2 3', 'ann x 0.5 7'])
    expect(log.itemNames).toEqual(['x', 'y,z'])
    expect(skipped).toBe(0)
  })

  it('uses a reward of 1 without a reward column, and converts seconds to milliseconds', async () => {
    const { log } = await readCsv(fileOf('user,item,time\na,x,12'), { timeUnit: 'seconds' })
    expect(wordsOf(log)).toEqual(['a x 1 12000'])
  })

  it.each([
    ['user,item\n', 'line 1 must be a header'],
    ['user,item,time,item\n', 'line 1 must be a header'],
    [
      'user,item,time\na,x,1\na,x\n',
      'line 3 must be a row of 3 fields (user, item, time), got "a,x"',
    ],
    ['user,item,time\n\na,,1\n', 'line 3, column 2 (item) must be a name in UTF-8, got ""'],
    [
      'user,item,time\na,x,noon\n',
      'line 2, column 3 (time) must be a number of milliseconds, got "noon"',
    ],
    [
      'user,reward,item,time\n"a\nb",1,x,1\na,1e99,x,1\n',
      'line 4, column 2 (reward) must be a number, got "1e99"',
    ],
    ['user,item,time\na,"x,1\n', 'line 2 must be fields in closed double quotes'],
  ])('reports the place of the error in %j', async (text, message) => {
    const path = fileOf(text)
    await expect(readCsv(path)).rejects.toMatchObject({
      code: 'dataset-malformed',
      message: expect.stringContaining(`${path}, ${message}`),
    })
  })

  it('refuses names that are not UTF-8', async () => {
    const text = Buffer.concat([
      Buffer.from('user,item,time\ncaf'),
      Buffer.of(0xe9),
      Buffer.from(',x,1'),
    ])
    await expect(readCsv(fileOf(text))).rejects.toThrow('line 2, column 1 (user)')
  })

  it('skips and counts bad rows on request', async () => {
    const path = fileOf('user,item,time\na,x,1\na,x\na,x,?\n"a,x,1\nb,y,2\n')
    const { log, skipped } = await readCsv(path, { skipBadRows: true })
    expect(wordsOf(log)).toEqual(['a x 1 1', 'b y 1 2'])
    expect(skipped).toBe(3)
  })

  it('reads an empty file as an empty log', async () => {
    expect((await readCsv(fileOf(''))).log.users).toHaveLength(0)
  })

  it('reads back any log, plain or gzip', async () => {
    const event = fc.record({
      user: fc.string({ minLength: 1, unit: fc.constantFrom('a', 'b', '"', ',', '\n', 'ß') }),
      item: fc.nat(5).map(String),
      reward: fc.float({ noNaN: true, noDefaultInfinity: true }).map(withoutMinusZero),
      time: fc.double({ noNaN: true, noDefaultInfinity: true }).map(withoutMinusZero),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 20 }), async (events) => {
        const lines = events.map(({ user, item, reward, time }) => {
          return `"${user.replaceAll('"', '""')}",${item},${reward},${time}`
        })
        const text = ['user,item,reward,time', ...lines].join('\n')
        const plain = await readCsv(fileOf(text, 'any.csv'))
        const users = [...new Set(events.map(({ user }) => user))]
        const sorted = events.toSorted(
          (a, b) => users.indexOf(a.user) - users.indexOf(b.user) || a.time - b.time,
        )
        expect(plain.log.userNames).toEqual(users)
        expect([...plain.log.times]).toEqual(sorted.map(({ time }) => time))
        expect([...plain.log.rewards]).toEqual(sorted.map(({ reward }) => reward))
        expect(await readCsv(fileOf(gzipSync(text), 'any.csv.gz'))).toEqual(plain)
      }),
      { numRuns: 30 },
    )
  })
})

describe('readJsonLines', () => {
  it('reads the same keys as CSV, and numbers as names', async () => {
    const path = fileOf(
      '{"user": 7, "item": "x", "time": 2, "page": 3}\n\n{"user":"7","item":"ÿ","reward":3,"time":1}',
    )
    const { log } = await readJsonLines(path)
    expect(wordsOf(log)).toEqual(['7 ÿ 3 1', '7 x 1 2'])
  })

  it.each([
    ['{"user":1,"item":2,"time":3}\n{"user":\n', 'line 2 must be a JSON object'],
    ['7\n', 'line 1 must be a JSON object, got "7"'],
    ['{"user":1,"time":3}', 'line 1, item must be a text or a number, got "nothing"'],
    ['{"user":1,"item":2,"time":"3"}', 'line 1, time must be a number, got "\\"3\\""'],
    ['{"user":1,"item":2,"time":3,"reward":[]}', 'line 1, reward must be a number'],
  ])('reports the place of the error in %j', async (text, message) => {
    await expect(readJsonLines(fileOf(text))).rejects.toThrow(message)
  })

  it('skips and counts bad rows on request', async () => {
    const path = fileOf('oops\n{"user":1,"item":2,"time":3}\n{"user":1}\n')
    const { log, skipped } = await readJsonLines(path, { skipBadRows: true })
    expect([log.users.length, skipped]).toEqual([1, 2])
  })
})

describe('readDataset', () => {
  it('reads MovieLens 1M: ids, rating and seconds between double colons', async () => {
    const path = fileOf('12::900::4::1000\n12::901::5::999\n', 'ratings.dat')
    const { log } = await readDataset('movielens-1m', path)
    expect(wordsOf(log)).toEqual(['12 901 5 999000', '12 900 4 1000000'])
  })

  it('reads MovieLens 100K, from a folder, packed', async () => {
    fileOf(gzipSync('5\t6\t3\t1000\n'), 'u.data.gz')
    const { log } = await readDataset('movielens-100k', folder)
    expect(wordsOf(log)).toEqual(['5 6 3 1000000'])
  })

  it('reads a sequence file, with row numbers as times', async () => {
    const { log } = await readDataset('movielens-1m-sequences', fileOf('1 3\n1 2\n2 3\n'))
    expect(wordsOf(log)).toEqual(['1 3 1 0', '1 2 1 1', '2 3 1 2'])
  })

  it('reads Diginetica, whose sessions interleave, with its periods', async () => {
    const { log } = await readDataset('diginetica', fileOf('0\t80\t1\n0\t90\t2\n1\t80\t3\n'))
    expect(wordsOf(log)).toEqual(['80 1 1 0', '80 3 1 2', '90 2 1 1'])
    expect([...log.periods!]).toEqual([0, 1, 0])
  })

  it('refuses a period that is no integer', async () => {
    const path = fileOf('0\t80\t1\n0.5\t90\t2\n')
    await expect(readDataset('diginetica', path)).rejects.toThrow(
      'line 2, column 1 (period) must be an integer, got "0.5"',
    )
  })

  it('describes a missing file, its source and its size', async () => {
    const [missing, empty] = [join(folder, 'nowhere.dat'), mkdtempSync(join(folder, 'empty-'))]
    await expect(readDataset('movielens-1m', missing)).rejects.toMatchObject({
      code: 'dataset-missing',
      message: `${missing} must be a file, got none. This is MovieLens 1M (24.6 MB, 1,000,209 ratings); get it from GroupLens, datasets, MovieLens 1M.`,
    })
    await expect(readDataset('movielens-1m', empty)).rejects.toThrow(
      `${join(empty, 'ml-1m', 'ratings.dat')} must be a file`,
    )
  })

  it('refuses a folder in place of a file, and truncated gzip data', async () => {
    await expect(readCsv(folder)).rejects.toMatchObject({ code: 'dataset-missing' })
    const cut = gzipSync('1 2\n'.repeat(1000)).subarray(0, 30)
    const path = fileOf(cut)
    await expect(readDataset('movielens-1m-sequences', path)).rejects.toMatchObject({
      code: 'dataset-malformed',
      message: expect.stringContaining(`${path} must be whole gzip data`),
    })
  })
})

// The licenses of the published files do not allow redistribution, so they are not in this
// repository: set REN_DATA to the folder that holds them.
const data = process.env['REN_DATA'] ?? join(import.meta.dirname, '../../../shared/data')

const publishedCounts: Readonly<Record<DatasetName, readonly [number, number, number]>> = {
  'movielens-1m': [1_000_209, 6040, 3706],
  'movielens-1m-sequences': [999_611, 6040, 3416],
  'movielens-100k': [100_000, 943, 1682],
  diginetica: [993_483, 204_789, 43_136],
}

describe.for(Object.keys(publishedDatasets) as DatasetName[])('the published %s', (name) => {
  it.skipIf(!existsSync(join(data, publishedDatasets[name].folder)))(
    'has the published numbers of rows, users and items',
    async () => {
      const { log } = await readDataset(name, data)
      const counts = [log.users.length, log.userNames.length, log.itemNames.length]
      expect(counts).toEqual(publishedCounts[name])
      expect(byUser(log)).toHaveLength(log.userNames.length)
    },
  )
})
