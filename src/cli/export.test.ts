import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'

import { runCommand } from '../../test/run-command.ts'
import { runRen, startScript } from '../../test/run-ren.ts'
import { closeServers, startServer } from '../../test/servers.ts'
import { closeServices } from '../../test/services.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'
import { openSqliteStore } from '../storage/index.ts'
import type { EventStore, NewEvent, StoredEvent } from '../storage/index.ts'
import { addExport } from './export.ts'

closeServices()
closeServers()
const { folder } = temporaryFiles()
const path = join(folder, 'store.db')
const out = join(folder, 'log.jsonl')

const events: readonly NewEvent[] = [
  {
    event: {
      kind: 'items-put',
      items: [{ item: 'b' }, { item: 'a', attributes: { x: 1 } }],
      time: 0,
    },
  },
  ...Array.from({ length: 5000 }, (_, time) => ({
    id: `id ${time}`,
    event: { kind: 'interaction', user: `user ${time}`, item: 'a', reward: 1, time } as const,
  })),
]

describe('ren export', () => {
  let store: EventStore
  // It stays open, as a running service would have it.
  beforeAll(async () => {
    store = await openSqliteStore(path)
    await store.claim()
    await store.append(events)
    return () => store.close()
  })
  const exporting = (...args: string[]) =>
    runCommand(addExport, ['export', '--store', path, '--out', out, ...args])
  const lines = (): StoredEvent[] =>
    readFileSync(out, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as StoredEvent)

  it('writes every event with its position and id while the store is in use', async () => {
    expect((await exporting()).out).toBe(`wrote 5,001 lines to ${out}`)
    expect(lines()).toEqual(events.map((event, i) => ({ position: i + 1, ...event })))
  })

  it('writes only events after a position or of some kinds', async () => {
    await exporting('--after', '4999')
    expect(lines().map(({ position }) => position)).toEqual([5000, 5001])
    await exporting('--kind', 'items-put', 'impressions')
    expect(lines().map(({ position }) => position)).toEqual([1])
  })

  it('writes the catalog', async () => {
    const { out: said } = await exporting('--items', '--json')
    expect(JSON.parse(said)).toEqual({ store: path, lines: 2, damaged: 0, out })
    expect(lines()).toEqual([
      { item: 'a', attributes: { x: 1 }, position: 1 },
      { item: 'b', attributes: {}, position: 1 },
    ])
  })

  it('includes the type of an interaction that was recorded over HTTP', async () => {
    const own = join(folder, 'types.db')
    const { send, server, service } = await startServer({}, [], { store: own })
    const event = { user: 'ann', item: 'a', type: 'purchase', reward: 2, time: 5 }
    expect((await send('POST', '/v1/events', { body: event })).status).toBe(200)
    const { json } = await send('GET', '/v1/users/ann/events')
    const stored = { position: 2, event: { kind: 'interaction', ...event } }
    expect(json).toMatchObject({ entries: [stored] })
    await server.close()
    await service.close()
    await runCommand(addExport, ['export', '--store', own, '--out', out, '--kind', 'interaction'])
    expect(lines()).toEqual([stored])
  })

  it('exits with 0 when the pipe closes', async () => {
    const { child, ended } = startScript('src/cli/main.ts', ['export', '--store', path])
    child.stdout.once('data', () => child.stdout.destroy())
    const { code, stderr } = await ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('reports a missing store in one line and does not create it', async () => {
    const none = join(folder, 'none.db')
    const { code, stdout, stderr } = await runRen(['export', '--store', none])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^ren: there is no store at .*none\.db; [^\n]* \(store-missing\)\n$/)
    expect(existsSync(none)).toBe(false)
  })
})
