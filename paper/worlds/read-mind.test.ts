// Tests the reader of MIND on small files, and on the published one. Its license does not allow redistribution:
// set REN_DATA to the folder that holds it.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { clickFlags, historyBefore, shownItems } from '../impressions/impression-log.ts'
import type { ImpressionLog } from '../impressions/impression-log.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'
import { parseAmericanTime, readMind } from './read-mind.ts'

const files = temporaryFiles()
const data = process.env['REN_DATA'] ?? join(import.meta.dirname, '../../../shared/data')

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

describe('readMind', () => {
  const late = '1\tU1\t11/9/2019 9:05:58 PM\tN1 N2 N1\tN3-0 N4-1 N1-1\n'
  const early = '2\tU2\t11/9/2019 12:05:58 AM\t\tN-1-1\n'
  const words = [
    `U2 ${Date.UTC(2019, 10, 9, 0, 5, 58)}:  > N-1*`,
    `U1 ${Date.UTC(2019, 10, 9, 21, 5, 58)}: N1 N2 N1 > N3 N4* N1*`,
  ]

  it('reads histories and lists with their clicks, in order of time', async () => {
    const { log, skipped } = await readMind(files.write(late + early))
    expect(wordsOf(log)).toEqual(words)
    expect(skipped).toBe(0)
  })

  it('finds the gzip file in a folder of the archive', async () => {
    files.write(gzipSync(late + early), 'mind/MINDsmall_train/behaviors.tsv.gz')
    expect(wordsOf((await readMind(`${files.folder}/mind`)).log)).toEqual(words)
  })

  it.each([
    ['1\tU1\t11/9/2019 9:05:58 AM\tN1', 'line 1 must be a row of 5 fields (impression, user, time'],
    ['1\tU1\t2019-11-09\tN1\tN1-0', 'line 1, column 3 (time) must be a time such as'],
    ['1\t\t11/9/2019 9:05:58 AM\tN1\tN1-0', 'line 1, column 2 (user) must be a name'],
    ['1\tU1\t11/9/2019 9:05:58 AM\tN1  N2\tN1-0', 'line 1, column 4 (history)'],
    ['1\tU1\t11/9/2019 9:05:58 AM\tN1\t', 'line 1, column 5 (shown) must be a list'],
    ['1\tU1\t11/9/2019 9:05:58 AM\tN1\tN1', 'line 1, column 5 (shown) must be a list'],
    ['1\tU1\t11/9/2019 9:05:58 AM\tN1\tN1-0 -1', 'line 1, column 5 (shown) must be a list'],
    ['1\tU1\t11/9/2019 9:05:58 AM\tN1\tN1-2', 'line 1, column 5 (shown) must be a list'],
  ])('reports the place of the error in %j', async (text, message) => {
    const path = files.write(text)
    await expect(readMind(path)).rejects.toMatchObject({
      code: 'dataset-malformed',
      message: expect.stringContaining(`${path}, ${message}`),
    })
  })

  it('skips and counts bad rows on request, and stores none of their data', async () => {
    const bad = '3\tU3\t11/9/2019 9:05:58 AM\tN8\tN1-1 N2-0 N3-x\n'
    const path = files.write(bad + late + bad + early + bad)
    const { log, skipped } = await readMind(path, { skipBadRows: true })
    expect(wordsOf(log)).toEqual(words)
    expect(skipped).toBe(3)
    expect([log.shown.values.length, log.clicked.length, log.histories.values.length]).toEqual([
      4, 4, 3,
    ])
  })

  it('describes a missing file, its source and its size', async () => {
    await expect(readMind(`${files.folder}/nowhere.tsv`)).rejects.toMatchObject({
      code: 'dataset-missing',
      message: expect.stringMatching(
        /nowhere.tsv.*MIND-small \(about 90 MB, 156,965 impressions.*get it from/,
      ),
    })
  })

  it.skipIf(!existsSync(join(data, 'mind-5k')))('reads 5,000 published impressions', async () => {
    const { log, skipped } = await readMind(data)
    expect([log.users.length, log.userNames.length, skipped]).toEqual([5000, 4637, 0])
    expect(log.shown.values).toHaveLength(189_359)
    expect(new Set(log.shown.values).size).toBe(7457)
    const day = (time: number): string => new Date(time).toISOString().slice(0, 10)
    expect(
      Array.from(
        log.times.filter((_, row) => row % 4999 === 0),
        day,
      ),
    ).toEqual(['2019-11-09', '2019-11-14'])
  })
})

const second = fc
  .integer({ min: 0, max: Date.UTC(2100, 0) / 1000 })
  .map((value) => new Date(value * 1000))

function americanText(date: Date): string {
  const hour = date.getUTCHours()
  const [minute, seconds] = [date.getUTCMinutes(), date.getUTCSeconds()].map((n) =>
    String(n).padStart(2, '0'),
  )
  const day = `${date.getUTCMonth() + 1}/${date.getUTCDate()}/${date.getUTCFullYear()}`
  return `${day} ${hour % 12 || 12}:${minute}:${seconds} ${hour < 12 ? 'AM' : 'PM'}`
}
describe('American times', () => {
  it('are parsed to their time', () => {
    fc.assert(
      fc.property(second, (date) => {
        expect(parseAmericanTime(americanText(date))).toBe(date.getTime())
      }),
    )
  })

  it.each([
    '',
    '11/31/2019 1:00:00 AM',
    '11/1/2019 13:00:00 PM',
    '11/1/2019 0:00:00 AM',
    '13/1/2019 1:00:00 AM',
    '2/29/2019 1:00:00 AM',
    '1/0/2019 1:00:00 AM',
    '0/1/2019 1:00:00 AM',
    '1/1/2019 1:60:00 AM',
    '1/1/2019 1:00:60 AM',
    'noon',
  ])('refuse %j', (text) => expect(parseAmericanTime(text)).toBeNaN())
})
