import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { runCommand } from '../../test/run-command.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'
import { openKeyRing } from '../service/http/key-ring.ts'
import { openSqliteStore } from '../storage/index.ts'
import { addKey } from './key.ts'

const { folder } = temporaryFiles()
const store = join(folder, 'store.db')
const key = (...args: string[]) => runCommand(addKey, ['key', ...args, '--store', store])

describe('ren key', () => {
  it('creates keys that work until they are revoked, and shows each key only once', async () => {
    const created = await key('create', '--name', 'shop', '--scope', 'events, recommend')
    const secret = created.out
    expect(secret).toMatch(/^ren_[a-z0-9]{12}_[\w-]{43}$/)
    expect(created.err).toContain('it is not shown again')
    const id = secret.split('_')[1]!
    const open = await openSqliteStore(store)
    const ring = await openKeyRing(open, () => {})
    expect(ring.identify(`Bearer ${secret}`)).toMatchObject({ id, scopes: ['recommend', 'events'] })

    const listed = await key('list', '--json')
    expect(JSON.parse(listed.out)).toMatchObject([{ id, name: 'shop', revoked: null }])
    expect(listed.out).not.toMatch(/hash|secret/)
    expect((await key('list')).out).toMatch(
      new RegExp(`^${id} {2}recommend,events {8}shop, created \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d$`),
    )

    expect((await key('revoke', id)).out).toBe(`revoked ${id}`)
    await ring.refresh()
    expect(ring.identify(`Bearer ${secret}`)).toMatchObject({ code: 'key-refused' })
    expect((await key('revoke', id, '--json')).out).toBe(`{"id":"${id}","revoked":false}`)
    expect((await key('list')).out).toMatch(/, revoked \d{4}-/)
    ring.close()
    await open.close()
  })

  it.each([
    ['an unknown scope', ['create', '--name', 'x', '--scope', 'all'], /recommend, events/],
    ['no name', ['create', '--name', ' ', '--scope', 'admin'], /--name must not be empty/],
    ['an unknown id', ['revoke', 'unknown'], /no key has the id unknown/],
  ])('refuses %s', async (_, args, message) => {
    await expect(key(...args)).rejects.toThrow(message)
  })
})
