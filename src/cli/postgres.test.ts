// Commands on a PostgreSQL store whose user has a password, which no output contains.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'

import { canStartPostgres, lockedAddress } from '../../test/postgres.ts'
import { runCommand } from '../../test/run-command.ts'
import { circleCsv, startScript } from '../../test/run-ren.ts'
import { send, startServing } from '../../test/serving.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'
import { openStore } from '../storage/index.ts'
import { showLocation } from '../storage/postgres/address.ts'
import { addBackup, addCopy, addRestore } from './backup.ts'
import { addExport } from './export.ts'
import { addImport } from './import.ts'
import { addKey } from './key.ts'

const { folder, write } = temporaryFiles()

/** The error of a command that must fail. */
const failure = (run: Promise<unknown>): Promise<Error> =>
  run.then(
    () => new Error('it succeeded'),
    (error: unknown) => error as Error,
  )

describe.skipIf(!canStartPostgres)('on a PostgreSQL store with a password,', () => {
  let store = ''
  let [shown, password] = ['', '']
  beforeAll(async () => {
    ;({ address: store, password } = await lockedAddress('commands'))
    shown = showLocation(store)
  })

  const checkNoPassword = (text: string): void => {
    expect(text).not.toContain(password)
    expect(text).not.toContain(encodeURIComponent(password))
  }

  it('ren import imports a log once', async () => {
    const args = ['import', '--store', store, '--events', write(circleCsv(), 'log.csv')]
    const { out } = await runCommand(addImport, args)
    expect(out).toContain(`store    ${shown}`)
    checkNoPassword(out)
    const again = await runCommand(addImport, [...args, '--json'])
    const events = { done: 480, before: 480 }
    expect(JSON.parse(again.out)).toMatchObject({ store: shown, events })
    checkNoPassword(again.out)
  })

  it('ren export writes the log and the catalog', async () => {
    const file = join(folder, 'items.jsonl')
    const args = ['export', '--store', store, '--items', '--out', file, '--json']
    const { out } = await runCommand(addExport, args)
    expect(JSON.parse(out)).toMatchObject({ store: shown, lines: 12 })
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(13)
    checkNoPassword(out)
  })

  it('ren backup and ren restore name the programs of PostgreSQL', async () => {
    const backup = runCommand(addBackup, ['backup', '--store', store, '--out', join(folder, 'b')])
    const error = await failure(backup)
    expect(error.message).toMatch(
      /pg_dump --format=custom --schema=commands --file=ren\.dump 'postgres:\/\/locked@localhost\/postgres\?host=/,
    )
    checkNoPassword(error.message)
    const restore = runCommand(addRestore, ['restore', '--store', store, '--from', write('', 'x')])
    const refusal = await failure(restore)
    expect(refusal.message).toContain('ren copy --from FILE')
    checkNoPassword(refusal.message)
  })

  it('ren serve serves it, says where the store is, and refuses a second service', async () => {
    const { child, ended, address } = await startServing(['--store', store])
    const wanted = { user: 'user 1', count: 3 }
    expect(await send(address, '/v1/recommendations', wanted)).toMatchObject({ complete: true })
    expect(await send(address, '/v1/status')).toMatchObject({ store: { location: shown } })
    const args = ['serve', '--port', '0', '--store', store]
    const second = await startScript('src/cli/main.ts', args).ended
    expect(second.code).toBe(1)
    expect(second.stderr).toMatch(
      /another service \(session \d+ from a local socket\) uses the schema commands .*store-in-use/s,
    )
    child.kill('SIGTERM')
    const { code, stdout, stderr } = await ended
    expect(code).toBe(0)
    for (const text of [stdout, stderr, second.stdout, second.stderr]) checkNoPassword(text)
  }, 60_000)

  it('ren key creates and revokes keys', async () => {
    const key = (...args: string[]) => runCommand(addKey, ['key', ...args, '--store', store])
    const created = await key('create', '--name', 'shop', '--scope', 'events')
    const id = created.out.split('_')[1]!
    expect((await key('list')).out).toContain('shop')
    expect((await key('revoke', id)).out).toBe(`revoked ${id}`)
  })

  it('ren copy copies it to a file and back, with keys and models', async () => {
    const copy = async (from: string, to: string): Promise<object> => {
      const { out } = await runCommand(addCopy, ['copy', '--from', from, '--to', to, '--json'])
      checkNoPassword(out)
      return JSON.parse(out) as object
    }
    const file = join(folder, 'copy.db')
    const report = await copy(store, file)
    expect(report).toMatchObject({ from: shown, to: file, keys: 1, interrupted: false })
    const back = store.replace('schema=commands', 'schema=copied')
    expect(await copy(file, back)).toEqual({ ...report, from: file, to: showLocation(back) })
    const contents = async (location: string): Promise<unknown> => {
      const opened = await openStore(location, { create: false })
      const log = await Array.fromAsync(opened.read(0))
      const [info] = await opened.snapshots('state', 'ren')
      const state = await Array.fromAsync(opened.readSnapshot(info!.id))
      const items = await opened.items({ limit: 100 })
      const keys = await opened.keys()
      const marks = (await opened.marks()).filter(({ name }) => name !== 'copied')
      await opened.close()
      return {
        log,
        state: state.map((part) => Buffer.from(part).toString('hex')),
        items,
        keys,
        marks,
      }
    }
    const original = await contents(store)
    expect(await contents(file)).toEqual(original)
    expect(await contents(back)).toEqual(original)
    await expect(copy(file, store)).rejects.toThrow('has events that are not copies')
  })
})

it('ren serve takes the store from REN_STORE and the schema from --schema', async () => {
  const nowhere = 'postgres://ann:s3cret@localhost/shop?host=/tmp/nowhere'
  const run = (...args: string[]) =>
    startScript('src/cli/main.ts', ['serve', '--port', '0', ...args], {
      env: { REN_STORE: nowhere },
    }).ended
  const { code, stderr } = await run('--schema', 'shop')
  expect(code).toBe(1)
  expect(stderr).toContain('postgres://ann@localhost/shop?host=/tmp/nowhere&schema=shop')
  expect(stderr).not.toContain('s3cret')
  const refused = await run('--schema', 'a b')
  expect(refused.stderr).toContain('the schema must be a name of lower-case letters')
})

it.each(['mysql://ann:s3cret@host/shop', 'postgres:ann:s3cret@host'])(
  'ren import refuses %s without showing the password',
  async (store) => {
    const args = ['import', '--store', store, '--events', write(circleCsv(), 'c.csv')]
    const error = await failure(runCommand(addImport, args))
    expect(error).toMatchObject({ code: 'invalid-argument' })
    expect(error.message).not.toContain('s3cret')
  },
)
