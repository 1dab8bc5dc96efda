import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { publishedDatasets } from '../../src/datasets/published.ts'
import type { DatasetFile, DatasetName } from '../../src/datasets/published.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'
import { mindFile } from '../worlds/read-mind.ts'
import { locateDataset } from './plan-jobs.ts'

const { folder, write } = temporaryFiles()
const datasets: Readonly<Record<string, DatasetFile>> = { mind: mindFile, ...publishedDatasets }

describe('the data of a plan', () => {
  it.each(Object.keys(datasets) as (DatasetName | 'mind')[])(
    'is found if it is %s, and a missing file is named',
    (name) => {
      const { folder: original, otherFolders = [], files, title, size } = datasets[name]!
      const empty = join(folder, `empty-${name}`)
      write('', `empty-${name}/other`)
      expect(() => locateDataset(name, empty)).toThrow(
        expect.objectContaining({
          code: 'dataset-missing',
          message: expect.stringMatching(
            new RegExp(
              `^.*${original}/${files[0]} must be a file, got none. This is ${title} .${size}`,
            ),
          ),
        }),
      )
      const inner = otherFolders.at(-1) ?? original
      const path = write('', `full-${name}/${inner}/${files.at(-1)}.gz`)
      expect(locateDataset(name, join(folder, `full-${name}`))).toBe(path)
      expect(locateDataset(name, path)).toBe(path)
    },
  )
})
