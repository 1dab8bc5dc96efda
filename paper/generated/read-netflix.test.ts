import { gzipSync } from 'node:zlib'

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { parseDay, readNetflix } from './read-netflix.ts'
import type { NetflixOptions } from './read-netflix.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'

const files = temporaryFiles()

async function read(text: string, options?: NetflixOptions): Promise<string[]> {
  const { log } = await readNetflix(files.write(text), options)
  return [...log.users].map((user, row) => {
    const day = new Date(log.times[row]!).toISOString().slice(0, 10)
    return `${log.userNames[user]} ${log.itemNames[log.items[row]!]} ${log.rewards[row]} ${day}`
  })
}

describe('parseDay', () => {
  it('parses a day to its first millisecond', () => {
    const day = fc.integer({ min: 0, max: Date.UTC(2100, 0) / 1000 })
    fc.assert(
      fc.property(day, (seconds) => {
        const text = new Date(seconds * 1000).toISOString().slice(0, 10)
        expect(parseDay(text)).toBe(Date.parse(text))
      }),
    )
  })

  it.each(['', '2005-02-29', '2005-13-01', '2005-00-10', '2005-1-1', '2005-01-01 '])(
    'refuses %j',
    (text) => expect(parseDay(text)).toBeNaN(),
  )
})

describe('readNetflix', () => {
  it('reads the ratings below each movie, by user and date', async () => {
    const words = await read('1:\n30,5,2005-12-31\n40,1,2004-02-29\n2:\n30,3,1998-10-01\n')
    expect(words).toEqual(['30 2 3 1998-10-01', '30 1 5 2005-12-31', '40 1 1 2004-02-29'])
  })

  it('reads the files of a folder as one, plain or packed', async () => {
    files.write('1:\n30,5,2005-12-31\n', 'prize/netflix/combined_data_1.txt')
    files.write(gzipSync('2:\n30,4,2005-12-30\n'), 'prize/netflix/combined_data_2.txt.gz')
    const { log } = await readNetflix(`${files.folder}/prize`)
    expect([...log.rewards]).toEqual([4, 5])
    expect(log.userNames).toEqual(['30'])
    files.write('4:\n30,4,2005-12-30\n', 'prize/netflix/combined_data_4.txt')
    await expect(readNetflix(`${files.folder}/prize`)).rejects.toMatchObject({
      code: 'dataset-missing',
      message: expect.stringMatching(/combined_data_3.txt.*100,480,507 ratings.*get it from/),
    })
  })

  it('reads only the first movies on request', async () => {
    const text = '1:\n30,5,2005-12-31\n2:\n3:\nhello\n1,1,2005-01-01\n'
    expect(await read(text, { movies: 2 })).toEqual(['30 1 5 2005-12-31'])
    const { log } = await readNetflix(files.write(text), { movies: 2 })
    expect(log.itemNames).toEqual(['1', '2'])
  })

  it('reads about the requested share of users, the same users for every movie', async () => {
    const rows = Array.from({ length: 2000 }, (_, id) => `${id + 1},3,2005-01-01\n`).join('')
    const path = files.write(`1:\n${rows}2:\n${rows}`)
    const usersOf = async (share: number, seed: number): Promise<readonly string[]> => {
      const { log } = await readNetflix(path, { users: { share, seed } })
      expect(log.users).toHaveLength(2 * log.userNames.length)
      return log.userNames
    }
    const some = await usersOf(0.25, 1)
    expect(some.length).toBeGreaterThan(400)
    expect(some.length).toBeLessThan(600)
    expect(await usersOf(0.25, 1)).toEqual(some)
    expect(await usersOf(0.25, 2)).not.toEqual(some)
    expect(await usersOf(0.5, 1)).toEqual(expect.arrayContaining([...some]))
    expect(await usersOf(1, 1)).toHaveLength(2000)
  })

  it.each([
    [0, 1],
    [1.5, 1],
    [0.5, 0.5],
  ])('refuses to keep %d of the users by seed %d', async (share, seed) => {
    const reading = readNetflix(files.folder, { users: { share, seed } })
    await expect(reading).rejects.toMatchObject({ code: 'invalid-argument' })
  })

  it.each([
    ['30,5,2005-12-31\n', 'line 1 must be a movie such as 7: first'],
    ['x:\n', 'line 1 must be a movie such as 7:, got "x:"'],
    ['1:\n30,5\n', 'line 2 must be a row of 3 fields (customer, rating, date), got "30,5"'],
    ['1:\n0,5,2005-12-31\n', 'line 2, column 1 (customer)'],
    ['1:\n30,6,2005-12-31\n', 'line 2, column 2 (rating) must be 1, 2, 3, 4 or 5, got "6"'],
    ['1:\n30,5,2005-02-29\n', 'line 2, column 3 (date) must be a date such as'],
    ['1:\n30,5,\n', 'line 2, column 3 (date) must be a date such as'],
  ])('says where %j is wrong', async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({
      code: 'dataset-malformed',
      message: expect.stringContaining(message),
    })
  })

  it('skips and counts bad rows, and the rows of a movie whose header is bad', async () => {
    const text = '1:\n30,5,2005-12-31\n30,?,2005-12-31\nx:\n30,5,2005-12-31\n2:\n31,4,2005-12-31\n'
    const { log, skipped } = await readNetflix(files.write(text), { skipBadRows: true })
    expect([[...log.rewards], skipped]).toEqual([[5, 4], 3])
  })
})
