// Copies of stores: whole or not there at all, with a line that says how far they are.

import { stat } from 'node:fs/promises'

import { RenError } from '../core/errors.ts'
import type { EventStore } from '../storage/index.ts'
import { count, whole } from './counts.ts'
import { createStatusLine, percent } from './status-line.ts'
import { isThere } from './store-option.ts'
import { requireWritable, writeWhole } from './whole-file.ts'

export interface StoreCopy {
  readonly from: string
  readonly to: string
  readonly events: number
  readonly bytes: number
  readonly seconds: number
}

/** Copies what the store holds into a file that takes the place of whatever is there. */
export async function copyStore(store: EventStore, to: string): Promise<StoreCopy> {
  await requireWritable(to)
  const clock = (): number => performance.now()
  const start = clock()
  const line = createStatusLine(process.stderr, clock)
  const { events } = await store.size()
  await writeWhole(to, (part) =>
    store.backup(part, (share) => line.show(() => `${percent(share)}  copied`)),
  ).finally(line.end)
  const { size: bytes } = await stat(to)
  return { from: store.location, to, events, bytes, seconds: (clock() - start) / 1000 }
}

export async function refuseToReplace(path: string, force = false): Promise<void> {
  if (force || !(await isThere(path))) return
  throw new RenError('invalid-argument', `${path} is there already; --force replaces it`)
}

export const describeCopy = ({ from, to, events, bytes, seconds }: StoreCopy): string =>
  `${from} copied to ${to}: ${count(events, 'event')}, ` +
  `${whole(bytes / 1e6)} MB in ${seconds.toFixed(1)} s`
