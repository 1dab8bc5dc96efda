// Import of a CSV file into an empty store, compared with a plain insert loop in one transaction.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readCsv } from '../../src/datasets/index.ts'
import { importLog } from '../../src/service/log/import-events.ts'
import { openSqliteStore } from '../../src/storage/index.ts'
import { median } from '../measure.ts'
import type { Figure } from '../measure.ts'

const events = 500_000
const rounds = 3

export async function measureImport(folder: string): Promise<Figure[]> {
  const file = join(folder, 'events.csv')
  const rows = Array.from({ length: events }, (_, i) => {
    const user = `user-${(i * 104729) % 20_000}`
    return { user, item: `item-${(i * 7919) % 10_000}`, time: 1000 * i }
  })
  const lines = rows.map(({ user, item, time }) => `${user},${item},${time}\n`)
  writeFileSync(file, `user,item,time\n${lines.join('')}`)
  const turns: { plain: number; indexed: number; imported: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const plain = insertLoop(join(folder, `plain-${round}.db`), rows)
    const indexed = await storeLoop(join(folder, `indexed-${round}.db`), rows)
    const imported = await importFile(join(folder, `imported-${round}.db`), file)
    turns.push({ plain, indexed, imported })
  }
  const middle = (of: (turn: (typeof turns)[number]) => number): number => median(turns.map(of))
  return [
    { figure: 'plain insert loop, no index', value: middle((t) => t.plain), unit: '/s' },
    {
      figure: "plain insert loop, the store's tables",
      value: middle((t) => t.indexed),
      unit: '/s',
    },
    {
      figure: 'import of a CSV file, reading included',
      value: middle((t) => t.imported),
      unit: '/s',
      bar: '≥ 50,000',
    },
    {
      figure: 'import over the loop without an index',
      value: middle((t) => t.imported / t.plain),
      unit: '×',
    },
    {
      figure: "import over the loop into the store's tables",
      value: middle((t) => t.imported / t.indexed),
      unit: '×',
    },
  ]
}

interface Row {
  readonly user: string
  readonly item: string
  readonly time: number
}

/** Events per second into a table with the same columns, indexed only by position. */
function insertLoop(path: string, rows: readonly Row[]): number {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec(`CREATE TABLE event (
    position INTEGER PRIMARY KEY, id TEXT, kind TEXT, user TEXT, time REAL, payload TEXT
  )`)
  return inOneTransaction(database, 'INSERT INTO event VALUES (?, ?, ?, ?, ?, ?)', rows)
}

/** Events per second into the tables of a store, with indexes but without checksums. */
async function storeLoop(path: string, rows: readonly Row[]): Promise<number> {
  await (await openSqliteStore(path)).close()
  const database = new DatabaseSync(path)
  database.exec('PRAGMA synchronous = FULL; PRAGMA cache_size = -32000')
  const columns = 'position, id, kind, user, time, payload, checksum'
  return inOneTransaction(
    database,
    `INSERT INTO events (${columns}) VALUES (?, ?, ?, ?, ?, ?, 0)`,
    rows,
  )
}

function inOneTransaction(database: DatabaseSync, text: string, rows: readonly Row[]): number {
  const insert = database.prepare(text)
  const start = performance.now()
  database.exec('BEGIN')
  for (const [i, { user, item, time }] of rows.entries()) {
    const payload = JSON.stringify({ kind: 'interaction', user, item, reward: 1, time })
    insert.run(i + 1, null, 'interaction', user, time, payload)
  }
  database.exec('COMMIT')
  const seconds = (performance.now() - start) / 1000
  database.close()
  return events / seconds
}

async function importFile(path: string, file: string): Promise<number> {
  const store = await openSqliteStore(path)
  const start = performance.now()
  const { log } = await readCsv(file)
  const { done } = await importLog(store, log)
  const seconds = (performance.now() - start) / 1000
  await store.close()
  if (done !== events) throw new Error(`${done} of ${events} events were imported`)
  return events / seconds
}
