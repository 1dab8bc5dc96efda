// Runs the contract of event stores on every store.

import { join } from 'node:path'
import { createMemoryStore, openSqliteStore, openStore } from 'ren-recommender/storage'
import type { EventStore, SqliteOptions } from 'ren-recommender/storage'
import { describe } from 'vitest'
import { freshSchema, hasPostgres } from '../postgres.ts'
import { temporaryFiles } from '../temporary-files.ts'
import { fresh } from './event-store-cases.ts'
import { describeEventStore } from './event-store.ts'

const { folder } = temporaryFiles()
const inFile = (options: SqliteOptions): Promise<EventStore> =>
  openSqliteStore(join(folder, `${fresh()}.db`), options)

describe.each([
  ['in memory', async () => createMemoryStore()],
  ['in a file', () => inFile({})],
  ['in a file, with a commit for every call', () => inFile({ groupCommit: false })],
])('a store %s', (_, create) => {
  describeEventStore(create)
})

describe.skipIf(!hasPostgres)('a store on PostgreSQL', () => {
  describeEventStore(async () => openStore(await freshSchema()))
})
