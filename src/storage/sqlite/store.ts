// A store in one file: the caller's thread reads, a thread of its own writes.

import { existsSync, statSync } from 'node:fs'
import { backup } from 'node:sqlite'

import { RenError } from '../../core/errors.ts'
import type { Appended, EventStore, ForgetRequest, Forgotten } from '../event-store.ts'
import { toJson } from '../plain-json.ts'
import { prepareEvents, prepareMark } from '../prepare-events.ts'
import { copyStore } from './copy.ts'
import type { AppendAnswer } from './calls.ts'
import { claimStore } from './claim.ts'
import type { Claim } from './claim.ts'
import { defaultPatience, openReader } from './reader.ts'
import { createSnapshotSender } from './send-snapshot.ts'
import { startWriter } from './writer.ts'
import type { Writer } from './writer.ts'

export interface SqliteOptions {
  /** Milliseconds to wait for other processes that write; 10 seconds unless set. */
  readonly patience?: number
  /** False makes every call a commit of its own. */
  readonly groupCommit?: boolean
  /** The size that the file may have; what goes beyond fails as on a full disk. */
  readonly mostBytes?: number
}

/** Opens a store's file; where there is none, it is made. */
export async function openSqliteStore(
  path: string,
  { patience = defaultPatience, groupCommit = true, mostBytes }: SqliteOptions = {},
): Promise<EventStore> {
  const writer = await startWriter({ path, patience, mostBytes: mostBytes ?? null }, groupCommit)
  ...
}
