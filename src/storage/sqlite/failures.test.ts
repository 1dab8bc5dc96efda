import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { feedback, readAll } from '../../../test/contracts/event-store-cases.ts'
import { runScript } from '../../../test/run-script.ts'
import { temporaryFiles } from '../../../test/temporary-files.ts'
import { asStoreError, isBusy } from './failures.ts'
import { openSqliteStore } from './store.ts'

const { folder } = temporaryFiles()

it('reports a read-only folder', async () => {
  const readOnly = join(folder, 'read-only')
  mkdirSync(readOnly)
  const path = join(readOnly, 'store.db')
  await (await openSqliteStore(path)).close()
  chmodSync(path, 0o444)
  chmodSync(readOnly, 0o555)
  chmodSync(folder, 0o755)
  // Permissions do not apply to root, so the process becomes the user nobody first.
  const printed = await runScript(`
    import { openSqliteStore } from './src/storage/index.ts'
    if (process.getuid() === 0) process.setuid(65534)
    await openSqliteStore(${JSON.stringify(path)}).catch(({ code, message }) => {
      console.log(code, message)
    })
  `).rest()
  chmodSync(readOnly, 0o755)
  expect(printed).toMatch(
    /^store-failed .*read-only\/store.db: the file, its folder or its disk is read-only/,
  )
})

const prlimit = '/usr/bin/prlimit'

it.skipIf(!existsSync(prlimit))('recovers after a disk has failed', async () => {
  const path = join(folder, 'limited.db')
  const store = await openSqliteStore(path)
  await store.append([feedback('before')])
  await store.close()
  // The kernel limits the size of the process's files until the limit is lifted.
  const printed = await runScript(`
    import { execFileSync } from 'node:child_process'
    import { openSqliteStore } from './src/storage/index.ts'
    const limit = (bytes) =>
      execFileSync(${JSON.stringify(prlimit)}, ['--pid', process.pid, '--fsize=' + bytes + ':'])
    const append = async (count) => {
      const event = { kind: 'feedback', user: 'ann', item: 'x'.repeat(1000), reward: 1, time: 1 }
      const events = Array(count).fill({ event })
      await store.append(events).then(
        ({ head }) => console.log(head),
        ({ code, message }) => console.log(code, message),
      )
    }
    const store = await openSqliteStore(${JSON.stringify(path)})
    await append(1)
    limit(200_000)
    await append(1000)
    await append(1000)
    limit('unlimited')
    await append(1000)
    await store.close()
  `).rest()
  const failure = expect.stringMatching(/^store-failed .*the disk could not be read or written/)
  expect(printed.trim().split('\n')).toEqual(['2', failure, failure, '1002'])
  const again = await openSqliteStore(path)
  expect(await readAll(again, 0)).toHaveLength(1002)
  await again.close()
})

it('does not change errors of other origin than SQLite', () => {
  const error = new TypeError('a mistake')
  expect(asStoreError(error, 'x.db')).toBe(error)
  expect(isBusy(error)).toBe(false)
})
