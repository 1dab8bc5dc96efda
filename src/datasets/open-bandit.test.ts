import { gzipSync } from 'node:zlib'

import { describe, expect, it } from 'vitest'

import { temporaryFiles } from '../../test/temporary-files.ts'
import { readOpenBandit } from './index.ts'

const files = temporaryFiles()
const header =
  ',timestamp,item_id,position,click,propensity_score,user_feature_0,user_feature_1,' +
  'user-item_affinity_0,user-item_affinity_1,user-item_affinity_2'
const textOf = (...rows: string[]): string => `${[header, ...rows].join('\n')}\n`
const time = '2019-11-24 00:00:01.500000+00:00'
const rows = [
  `0,${time},1,3,0,0.5,a,b,0.0,0.0,0.0`,
  `1,${time},0,1,1,0.25,a,c,0.0,0.0,0.0`,
  `2,${time},1,1,0,1.0,a,b,0.0,0.0,0.0`,
]

describe('readOpenBandit', () => {
  it('reads actions, rewards and chances, with positions from 0 and features as contexts', async () => {
    const { log, times, skipped } = await readOpenBandit(files.write(textOf(...rows)))
    expect(log).toEqual({
      actions: Int32Array.of(1, 0, 1),
      rewards: Float32Array.of(0, 1, 0),
      propensities: Float64Array.of(0.5, 0.25, 1),
      positions: Int32Array.of(2, 0, 0),
      contexts: Int32Array.of(0, 1, 0),
      actionCount: 3,
      positionCount: 3,
      contextNames: ['a,b', 'a,c'],
    })
    expect(times[0]).toBe(Date.UTC(2019, 10, 24, 0, 0, 1, 500))
    expect(skipped).toBe(0)
  })

  it('finds the file of a policy and a campaign, in folders of the archive or side by side', async () => {
    files.write(textOf(rows[0]!), 'shop/open_bandit_dataset/bts/women/women.csv')
    files.write(gzipSync(textOf(rows[1]!)), 'shop/obd/random_men.csv.gz')
    const actionOf = async (options?: Parameters<typeof readOpenBandit>[1]) =>
      (await readOpenBandit(`${files.folder}/shop`, options)).log.actions[0]
    expect(await actionOf({ policy: 'bts', campaign: 'women' })).toBe(1)
    expect(await actionOf()).toBe(0)
    await expect(actionOf({ campaign: 'all' })).rejects.toMatchObject({
      code: 'dataset-missing',
      message: expect.stringMatching(/random\/all\/all.csv.*policy random, campaign all/),
    })
  })

  it.each([
    ['item_id,click\n', 'line 1: expected a header of distinct columns, among them timestamp'],
    [textOf(rows[0]!.replace(time, 'noon')), 'line 2, column 2 (timestamp)'],
    [textOf(`0,${time},-1,3,0,0.5,a,b,0,0,0`), 'line 2, column 3 (item_id)'],
    [textOf(`0,${time},1,0,0,0.5,a,b,0,0,0`), 'line 2, column 4 (position)'],
    [textOf(`0,${time},1,1,0.5,0.5,a,b,0,0,0`), 'line 2, column 5 (click): expected 1 or 0'],
    [textOf(`0,${time},1,1,0,0,a,b,0,0,0`), 'line 2, column 6 (propensity_score)'],
    [textOf('0,1,2'), 'line 2: expected 11 fields'],
  ])('says where %j is wrong', async (text, message) => {
    await expect(readOpenBandit(files.write(text))).rejects.toThrow(message)
  })

  it('skips and counts bad rows on request', async () => {
    const path = files.write(textOf(rows[0]!, 'oops', rows[2]!))
    const { log, skipped } = await readOpenBandit(path, { skipBadRows: true })
    expect([[...log.actions], skipped]).toEqual([[1, 1], 1])
  })
})
