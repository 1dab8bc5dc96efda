// The contract of event stores over every one there is.

import { join } from 'node:path'
import { createMemoryStore, openSqliteStore } from 'ren-recommender/storage'
import { describe } from 'vitest'
import { temporaryFiles } from '../temporary-files.ts'
import { describeEventStore, fresh } from './event-store.ts'

const { folder } = temporaryFiles()

describe('a store in memory', () => describeEventStore(async () => createMemoryStore()))

describe('a store in a file', () =>
  describeEventStore(() => openSqliteStore(join(folder, `${fresh()}.db`))))

describe('a store in a file where every call is a commit of its own', () =>
  describeEventStore(() => openSqliteStore(join(folder, `${fresh()}.db`), { groupCommit: false })))
