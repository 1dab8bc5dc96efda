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

  it('may be catalogs', async () => {
    const path = join(folder, 'catalog.db')
    const importer = createTextImporter(path)
    const text = 'item,genre\ntea,hot\njuice,cold\n'
    const request = { name: 'items.csv', content: 'catalog', format: 'csv', text } as const
    const reported: RunProgress[] = []
    const first = await importer.start(request, (progress) => reported.push(progress), never)
    expect(first).toMatchObject({ rows: 2, added: 2, changed: 0, skipped: 0 })
    expect(reported.at(-1)).toEqual({ share: 1, message: '2 of 2 items' })
    const changed = { ...request, text: text.replace('cold', 'fresh') }
    expect(await importer.start(changed, () => {}, never)).toMatchObject({ added: 0, changed: 1 })
    const store = await openSqliteStore(path)
    const [juice] = await store.items({ limit: 1 })
    expect(juice).toMatchObject({ item: 'juice', attributes: { genre: 'fresh' } })
    await store.close()
    const bad = importer.start({ ...request, text: 'name\ntea\n' }, () => {}, never)
    await expect(bad).rejects.toThrow('items.csv')
  })

  it('are refused with their given name', async () => {
    const importer = createTextImporter(join(folder, 'none.db'))
    for (const name of ['bad.jsonl', "a $& of $' and $1.jsonl"]) {
      const request = { name, format: 'jsonl', text: '{"user":1}\n' } as const
      const refused = importer.start(request, () => {}, never)
      await expect(refused).rejects.toThrow(`${name}, line 1, item must be a text or a number`)
      const empty = importer.start({ ...request, text: '' }, () => {}, never)
      await expect(empty).rejects.toThrow(`${name} must contain interactions, found none`)
    }
  })
})
