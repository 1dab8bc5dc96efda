// Tests the readers on the published files. Their licenses do not allow redistribution, so they are
// not in this repository: set REN_DATA to the folder that holds them.

import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'
import type { TestContext } from 'vitest'

import { temporaryFiles } from '../../test/temporary-files.ts'
import { datasetFiles, locateDataset, readMind, readTrivago } from './index.ts'
import type { DatasetFile, DatasetFileName } from './index.ts'

const data = process.env['REN_DATA'] ?? join(import.meta.dirname, '../../../shared/data')
const { folder, write } = temporaryFiles()

function skipWithout(part: string, { skip }: TestContext): void {
  skip(!existsSync(join(data, part)), `${part} is not in ${data}: set REN_DATA to try it`)
}

const sum = (values: Iterable<number>): number => Iterator.from(values).reduce((a, b) => a + b, 0)

describe('locateDataset', () => {
  it.each(Object.keys(datasetFiles) as DatasetFileName[])(
    'finds %s, and names a missing file',
    (name) => {
      const file: DatasetFile = datasetFiles[name]
      const { folder: original, otherFolders = [], files, title, size } = file
      const empty = join(folder, `empty-${name}`)
      write('', `empty-${name}/other`)
      expect(() => locateDataset(name, empty)).toThrow(
        expect.objectContaining({
          code: 'dataset-missing',
          message: expect.stringMatching(
            new RegExp(`^expected a file at .*${original}/${files[0]}. This is ${title} .${size}`),
          ),
        }),
      )
      const path = write('', `full-${name}/${otherFolders.at(-1)}/${files.at(-1)}.gz`)
      expect(locateDataset(name, join(folder, `full-${name}`))).toBe(path)
      expect(locateDataset(name, path)).toBe(path)
    },
  )

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

  it('of Trivago have 53 clickouts whose reference is known, all in their lists', async (context) => {
    skipWithout('trivago-sample', context)
    const { log: train } = await readTrivago(data)
    const { log: test } = await readTrivago(join(data, 'trivago-sample/test_sample.csv.gz'))
    expect(train.users.length + test.users.length).toBe(53)
    expect(sum(train.clicked) + sum(test.clicked)).toBe(53)
  })
})
