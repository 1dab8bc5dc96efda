// Tests the readers on the published files. Their licenses do not allow redistribution, so they are
// not in this repository: set REN_DATA to the folder that holds them.

import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'
import type { TestContext } from 'vitest'

import { temporaryFiles } from '../../test/temporary-files.ts'
import { locateDataset, readMind } from './index.ts'
import { mindFile } from './published.ts'

const data = process.env['REN_DATA'] ?? join(import.meta.dirname, '../../../shared/data')
const { folder, write } = temporaryFiles()

function skipWithout(part: string, { skip }: TestContext): void {
  skip(!existsSync(join(data, part)), `${part} is not in ${data}: set REN_DATA to try it`)
}

describe('locateDataset', () => {
  it('finds MIND, and names a missing file', () => {
    const { folder: original, otherFolders = [], files, title, size } = mindFile
    write('', 'empty/other')
    expect(() => locateDataset('mind', join(folder, 'empty'))).toThrow(
      expect.objectContaining({
        code: 'dataset-missing',
        message: expect.stringMatching(
          new RegExp(`^expected a file at .*${original}/${files[0]}. This is ${title} .${size}`),
        ),
      }),
    )
    const path = write('', `full/${otherFolders.at(-1)}/${files.at(-1)}.gz`)
    expect(locateDataset('mind', join(folder, 'full'))).toBe(path)
    expect(locateDataset('mind', path)).toBe(path)
  })

  it('finds the logs of readDataset too', () => {
    const path = write('', 'lens/ml-100k/u.data')
    expect(locateDataset('movielens-100k', join(folder, 'lens'))).toBe(path)
  })
})

describe('the published files', () => {
  it('of MIND have 5,000 impressions', async (context) => {
    skipWithout('mind-5k', context)
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
