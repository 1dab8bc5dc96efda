import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { circleCsv } from '../../test/run-ren.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'
import type { RunProgress } from '../service/runs.ts'
import { openSqliteStore } from '../storage/index.ts'
import { createTextImporter } from './text-importer.ts'

const { folder } = temporaryFiles()
const never = new AbortController().signal

describe('logs that the service receives as text', () => {
  it('are stored once, however often they arrive', async () => {
    const path = join(folder, 'store.db')
    const importer = createTextImporter(path)
    const reported: RunProgress[] = []
    const request = { name: 'circle.csv', format: 'csv', text: circleCsv() } as const
    const first = await importer.start(request, (progress) => reported.push(progress), never)
    expect(first).toMatchObject({ rows: 480, done: 480, before: 0, users: 60, newItems: 12 })
    expect(reported.at(-1)).toEqual({ share: 1, message: '480 of 480 events' })
    expect(await importer.start(request, () => {}, never)).toMatchObject({ before: 480 })
    const store = await openSqliteStore(path)
    expect(await store.head()).toBe(481)
    await store.close()
  })

  it('are refused with their given name', async () => {
    const importer = createTextImporter(join(folder, 'none.db'))
    for (const name of ['bad.jsonl', "a $& of $' and $1.jsonl"]) {
      const request = { name, format: 'jsonl', text: '{"user":1}\n' } as const
      const refused = importer.start(request, () => {}, never)
      await expect(refused).rejects.toThrow(`${name}, line 1, item: expected a text or a number`)
      const empty = importer.start({ ...request, text: '' }, () => {}, never)
      await expect(empty).rejects.toThrow(`${name} must contain interactions, found none`)
    }
  })
})
