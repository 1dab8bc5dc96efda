import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { clickFlags, historyBefore, shownItems } from '../impressions/impression-log.ts'
import type { ImpressionLog } from '../impressions/impression-log.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'
import { readTrivago, RecentItems } from './read-trivago.ts'

const files = temporaryFiles()
// The published sample may not be given on: set REN_DATA to the folder that holds it.
const data = process.env['REN_DATA'] ?? join(import.meta.dirname, '../../../shared/data')
const sum = (values: Iterable<number>): number => Iterator.from(values).reduce((a, b) => a + b, 0)

/** Formats each impression as `user time: history > shown`, with a star after clicked items. */
function wordsOf(log: ImpressionLog): string[] {
  const nameOf = (item: number): string => log.itemNames[item]!
  return [...log.users].map((user, row) => {
    const flags = clickFlags(log, row)
    const shown = Array.from(
      shownItems(log, row),
      (item, at) => nameOf(item) + '*'.repeat(flags[at]!),
    )
    const history = Array.from(historyBefore(log, row), nameOf)
    return `${log.userNames[user]} ${log.times[row]}: ${history.join(' ')} > ${shown.join(' ')}`
  })
}

const header =
  'user_id,session_id,timestamp,step,action_type,reference,platform,city,device,current_filters,impressions,prices'

/** One row of train.csv. */
function action(user: string, time: number, kind: string, reference: string, shown = ''): string {
  const prices = shown.replaceAll(/\d+/g, '50')
  return `${user},s,${time},1,${kind},${reference},DE,"Here, There",mobile,,${shown},${prices}`
}

describe('readTrivago', () => {
  const read = async (...rows: string[]): Promise<string[]> =>
    wordsOf((await readTrivago(files.write([header, ...rows].join('\n')))).log)

  it('creates an impression per clickout, with earlier items of the user as history', async () => {
    const words = await read(
      action('A', 10, 'search for destination', '"Here, There"'),
      action('A', 11, 'interaction item image', '7'),
      action('A', 12, 'interaction item image', '7'),
      action('A', 13, 'filter selection', '9'),
      action('A', 14, 'interaction item info', '8'),
      action('A', 20, 'clickout item', '2', '1|2|3'),
      action('B', 15, 'clickout item', '1', '3|1'),
      action('A', 30, 'clickout item', '2', '2'),
    )
    expect(words).toEqual(['B 15000:  > 3 1*', 'A 20000: 7 8 > 1 2* 3', 'A 30000: 7 8 2 > 2*'])
  })

  it('ignores clickouts without a reference, and retains lists without the clicked item', async () => {
    const words = await read(
      action('A', 10, 'clickout item', '', '1|2'),
      action('A', 11, 'interaction item image', ''),
      action('A', 12, 'clickout item', '5', '1|2'),
      action('A', 13, 'clickout item', '1', '1|2'),
    )
    expect(words).toEqual(['A 12000:  > 1 2', 'A 13000: 5 > 1* 2'])
  })

  it('retains the last 32 items of a history', async () => {
    const looks = Array.from({ length: 40 }, (_, item) =>
      action('A', item, 'interaction item image', String(item)),
    )
    const [words] = await read(...looks, action('A', 50, 'clickout item', '1', '1'))
    const expected = Array.from({ length: 32 }, (_, at) => at + 8).join(' ')
    expect(words).toBe(`A 50000: ${expected} > 1*`)
  })

  it.each([
    [action('A', 1, 'clickout item', '1'), 'line 2, column 11 (impressions) must be items'],
    [action('A', 1, 'clickout item', '1', '1||2'), 'line 2, column 11 (impressions)'],
    [action('', 1, 'clickout item', '1', '1'), 'line 2, column 1 (user_id)'],
    [action('A', 1, 'clickout item', '1', '1').replace(',1,', ',x,'), 'column 3 (timestamp)'],
    ['A,s,1', 'line 2 must be a row of 12 fields'],
  ])('reports the place of the error in %j', async (row, message) => {
    await expect(read(row)).rejects.toThrow(message)
  })

  it('skips and counts bad rows on request', async () => {
    const rows = [header, 'A,s', action('A', 1, 'clickout item', '1', '1'), 'B']
    const path = files.write(gzipSync(rows.join('\n')), 'hotels/trivago/train.csv.gz')
    const { log, skipped } = await readTrivago(path, { skipBadRows: true })
    expect([wordsOf(log), skipped]).toEqual([['A 1000:  > 1*'], 2])
    await expect(readTrivago(`${files.folder}/hotels`)).rejects.toThrow(
      'line 2 must be a row of 12',
    )
  })

  it('finds the file in any folder of the archive, and names a missing one', async () => {
    const row = action('A', 1, 'clickout item', '1', '1')
    files.write(gzipSync([header, row].join('\n')), 'full/trivago-sample/train_sample.csv.gz')
    expect((await readTrivago(`${files.folder}/full`)).log.users).toHaveLength(1)
    await expect(readTrivago(`${files.folder}/none`)).rejects.toMatchObject({
      code: 'dataset-missing',
      message: expect.stringMatching(
        /trivago\/train.csv must be a file, got none. This is the sessions of Trivago/,
      ),
    })
  })

  it.skipIf(!existsSync(join(data, 'trivago-sample')))(
    'reads 53 clickouts of the published sample, all with the reference in their list',
    async () => {
      const { log: train } = await readTrivago(data)
      const { log: test } = await readTrivago(join(data, 'trivago-sample/test_sample.csv.gz'))
      expect(train.users.length + test.users.length).toBe(53)
      expect(sum(train.clicked) + sum(test.clicked)).toBe(53)
    },
  )
})

describe('recent items', () => {
  it('are the last items of each user, without consecutive repeats', () => {
    const step = fc.tuple(fc.nat(3), fc.nat(2))
    fc.assert(
      fc.property(fc.array(step), fc.integer({ min: 1, max: 5 }), (steps, longest) => {
        const recent = new RecentItems(longest)
        for (const [user, item] of steps) recent.add(user, item)
        for (let user = 0; user < 4; user++) {
          const items = steps.filter(([who]) => who === user).map(([, item]) => item)
          const once = items.filter((item, at) => item !== items[at - 1])
          expect(recent.of(user)).toEqual(once.slice(-longest))
        }
      }),
    )
  })
})
