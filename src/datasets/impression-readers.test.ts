// Tests the readers of impressions on small files.

import { gzipSync } from 'node:zlib'

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { temporaryFiles } from '../../test/temporary-files.ts'
import { clickFlags, historyBefore, shownItems } from '../core/impression-log.ts'
import type { ImpressionLog } from '../core/impression-log.ts'
import { readImpressionCsv, readMind } from './index.ts'

const files = temporaryFiles()

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
    ['1\tU1\t11/9/2019 9:05:58 AM\tN1', 'line 1: expected 5 fields (impression, user, time'],
    ['1\tU1\t2019-11-09\tN1\tN1-0', 'line 1, column 3 (time): expected a time such as'],
    ['1\t\t11/9/2019 9:05:58 AM\tN1\tN1-0', 'line 1, column 2 (user): expected a name'],
    ['1\tU1\t11/9/2019 9:05:58 AM\tN1  N2\tN1-0', 'line 1, column 4 (history)'],
    ['1\tU1\t11/9/2019 9:05:58 AM\tN1\t', 'line 1, column 5 (shown): expected a list'],
    ['1\tU1\t11/9/2019 9:05:58 AM\tN1\tN1', 'line 1, column 5 (shown): expected a list'],
    ['1\tU1\t11/9/2019 9:05:58 AM\tN1\tN1-0 -1', 'line 1, column 5 (shown): expected a list'],
    ['1\tU1\t11/9/2019 9:05:58 AM\tN1\tN1-2', 'line 1, column 5 (shown): expected a list'],
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
})

describe('readImpressionCsv', () => {
  it('collects the rows of an impression from anywhere in the file', async () => {
    const path = files.write(
      'impression,clicked,user,item,time,place\nb,0,ann,x,7,1\na,1,bob,y,5,1\nb,1,ann,y,8,2\n',
    )
    const { log } = await readImpressionCsv(path, { timeUnit: 'seconds' })
    expect(wordsOf(log)).toEqual(['bob 5000:  > y*', 'ann 7000:  > x y*'])
  })

  it.each([
    ['user,item,clicked,time\n', 'line 1: expected a header of distinct columns that include user'],
    [
      'user,item,clicked,time,impression\na,x,2,1,i\n',
      'line 2, column 3 (clicked): expected 1 or 0',
    ],
    ['user,item,clicked,time,impression\na,x,1,?,i\n', 'line 2, column 4 (time)'],
    ['user,item,clicked,time,impression\na,x,1,1,\n', 'line 2, column 5 (impression)'],
    [
      'user,item,clicked,time,impression\na,x,1,1,i\nb,x,1,1,i\n',
      'line 3, column 1 (user): expected the user of the impression',
    ],
  ])('reports the place of the error in %j', async (text, message) => {
    await expect(readImpressionCsv(files.write(text))).rejects.toThrow(message)
  })

  it('reads an empty file as an empty log', async () => {
    const { log } = await readImpressionCsv(files.write(''))
    expect([log.users.length, log.shown.offsets.length]).toEqual([0, 1])
  })

  it('reads back any impressions, in any order of their rows', async () => {
    const shown = fc.array(fc.tuple(fc.nat(5), fc.nat(1)), { minLength: 1, maxLength: 5 })
    const impressions = fc.array(shown, { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(impressions, fc.infiniteStream(fc.nat()), async (lists, choices) => {
        const left = lists.map((list, at) =>
          list.map(([item, flag]) => `u${at},i${item},${flag},${at},n${at}`),
        )
        const rows: string[] = []
        for (let some = left; some.length > 0; some = left.filter(({ length }) => length > 0)) {
          const row = some[choices.next().value % some.length]!.shift()
          if (row !== undefined) rows.push(row)
        }
        const text = ['user,item,clicked,time,impression', ...rows].join('\n')
        const { log } = await readImpressionCsv(files.write(text, 'any.csv'))
        expect(wordsOf(log)).toEqual(
          lists.map((list, at) => {
            const items = list.map(([item, flag]) => `i${item}${'*'.repeat(flag)}`)
            return `u${at} ${at}:  > ${items.join(' ')}`
          }),
        )
      }),
      { numRuns: 30 },
    )
  })
})
