// Tests the readers of impressions on small files.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { temporaryFiles } from '../../test/temporary-files.ts'
import { listAt } from '../../src/core/log.ts'
import { clickFlags, historyBefore, shownItems } from './impression-log.ts'
import type { ImpressionLog } from './impression-log.ts'
import { ListBuilder, readImpressionCsv } from './read-impressions.ts'

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

describe('readImpressionCsv', () => {
  it('collects the rows of an impression from anywhere in the file', async () => {
    const path = files.write(
      'impression,clicked,user,item,time,place\nb,0,ann,x,7,1\na,1,bob,y,5,1\nb,1,ann,y,8,2\n',
    )
    const { log } = await readImpressionCsv(path, { timeUnit: 'seconds' })
    expect(wordsOf(log)).toEqual(['bob 5000:  > y*', 'ann 7000:  > x y*'])
  })

  it.each([
    ['user,item,clicked,time\n', 'line 1 must be a header of distinct columns that include user'],
    ['user,item,clicked,time,impression\na,x,2,1,i\n', 'line 2, column 3 (clicked) must be 1 or 0'],
    ['user,item,clicked,time,impression\na,x,1,?,i\n', 'line 2, column 4 (time)'],
    ['user,item,clicked,time,impression\na,x,1,1,\n', 'line 2, column 5 (impression)'],
    [
      'user,item,clicked,time,impression\na,x,1,1,i\nb,x,1,1,i\n',
      'line 3, column 1 (user) must be the user of the impression',
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

describe('a list builder', () => {
  it('retains the completed lists and drops the discarded ones', () => {
    const list = fc.record({ values: fc.array(fc.nat(), { maxLength: 4 }), isEnded: fc.boolean() })
    fc.assert(
      fc.property(fc.array(list), (lists) => {
        const builder = new ListBuilder()
        for (const { values, isEnded } of lists) {
          for (const value of values) builder.push(value)
          expect(builder.pending).toBe(values.length)
          if (isEnded) builder.end()
          else builder.discard()
        }
        builder.push(1) // never ended
        const ended = lists.filter(({ isEnded }) => isEnded)
        const built = builder.build()
        expect(built.offsets).toHaveLength(ended.length + 1)
        expect(ended.map((_, at) => [...listAt(built, at)])).toEqual(
          ended.map(({ values }) => values),
        )
      }),
    )
  })
})
