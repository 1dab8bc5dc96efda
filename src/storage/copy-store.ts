// Copies a store into an empty one, of the same kind or another. After an interruption, the same call resumes.

import { invalid } from '../core/errors.ts'
import type { EventStore, SnapshotInfo, SnapshotKind } from './event-store.ts'
import type { Position, StoredEvent } from './log-event.ts'

/** Settings of {@link copyStore}. */
export interface CopyStoreOptions {
  readonly signal?: AbortSignal
  /** Receives the share of the events that are copied, from 0 to 1. */
  readonly onProgress?: (share: number) => void
}

/** The result of {@link copyStore}. */
export interface CopyStoreReport {
  /** The position up to which the target has the events of the source. */
  readonly position: Position
  /** The head of the source when the call began. */
  readonly head: Position
  readonly keys: number
  readonly snapshots: number
}

/** The progress of a copy, which the target stores as a mark. */
interface Progress {
  readonly position: Position
  /** The head of the source when the copy began. */
  readonly began: Position
}

const markName = 'copied'
/** Events per transaction. */
const batchSize = 5000
const kinds: readonly SnapshotKind[] = ['weights', 'state', 'training', 'quality']

/**
 * Copies the events at the same positions, then marks, keys, and the newest snapshot of each kind and model group.
 * No service may use the target. After the signal aborts, it completes the current batch.
 */
export async function copyStore(
  from: EventStore,
  to: EventStore,
  { signal, onProgress = () => {} }: CopyStoreOptions = {},
): Promise<CopyStoreReport> {
  await to.claim(true)
  const head = await from.head()
  let progress = await progressOf(from, to)
  const began = progress?.began ?? head
  for await (const events of batchesOf(from, progress?.position ?? 0, head)) {
    if (signal?.aborted) break
    requireNoErasure(events, began)
    const next: Progress = { position: events.at(-1)!.position, began }
    const was = progress === null ? null : JSON.stringify(progress)
    await to.append(events, { name: markName, value: JSON.stringify(next), was })
    progress = next
    onProgress(progress.position / head)
  }
  const position = progress?.position ?? 0
  if (position < head) return { position, head, keys: 0, snapshots: 0 }
  for (const mark of await from.marks()) if (mark.name !== markName) await to.append([], mark)
  return {
    position,
    head,
    keys: await copyKeys(from, to),
    snapshots: await copySnapshots(from, to),
  }
}

/** Null if nothing is copied yet. Refuses a target with other events. */
async function progressOf(from: EventStore, to: EventStore): Promise<Progress | null> {
  const text = await to.mark(markName)
  const progress = text === null ? null : (JSON.parse(text) as Progress)
  const position = progress?.position ?? 0
  const isOwn = (await to.head()) === position && (await haveSame(from, to, position))
  if (isOwn) return progress
  throw invalid(
    `the store at ${to.location} has events that are not copies; copy into an empty store`,
  )
}

async function haveSame(from: EventStore, to: EventStore, position: Position): Promise<boolean> {
  if (position === 0) return true
  if ((await from.head()) < position) return false
  const [one, other] = await Promise.all(
    [from, to].map(async (store) =>
      JSON.stringify(await Array.fromAsync(store.read(position - 1, { upTo: position }))),
    ),
  )
  return one === other
}

async function* batchesOf(
  from: EventStore,
  after: Position,
  upTo: Position,
): AsyncGenerator<readonly StoredEvent[]> {
  let batch: StoredEvent[] = []
  for await (const events of from.read(after, { upTo })) {
    batch.push(...events)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Refuses to resume after an erasure, since the target may have events of the erased user. */
function requireNoErasure(events: readonly StoredEvent[], began: Position): void {
  const erasure = events.find(({ event, position }) => {
    return event.kind === 'user-erased' && position > began
  })
  if (!erasure) return
  throw invalid(
    `a user was erased at position ${erasure.position} of the source after the copy began; ` +
      'copy into another empty store, and delete this one',
  )
}

async function copyKeys(from: EventStore, to: EventStore): Promise<number> {
  const known = new Map((await to.keys()).map((key) => [key.id, key]))
  const keys = await from.keys()
  for (const key of keys) {
    if (!known.has(key.id)) await to.addKey(key)
    else if (key.revoked !== null) await to.revokeKey(key.id, key.revoked)
  }
  return keys.length
}

async function copySnapshots(from: EventStore, to: EventStore): Promise<number> {
  let copied = 0
  for (const kind of kinds) {
    for (const scope of await from.snapshotScopes(kind)) {
      const there = await to.snapshots(kind, scope)
      for (const snapshot of newestOf(await from.snapshots(kind, scope))) {
        const isThere = there.some((one) => isCopy(one, snapshot))
        if (!isThere) await to.writeSnapshot(snapshot, from.readSnapshot(snapshot.id))
        copied += 1
      }
    }
  }
  return copied
}

/** The newest readable snapshot, oldest part first: weights may be changes since earlier ones. */
function newestOf(snapshots: readonly SnapshotInfo[]): readonly SnapshotInfo[] {
  const readable = snapshots.filter((one) => one.readable)
  const whole = readable.findIndex(({ about }) => about['base'] === undefined)
  return readable.slice(0, whole + 1).toReversed()
}

const isCopy = (one: SnapshotInfo, other: SnapshotInfo): boolean =>
  one.position === other.position && one.time === other.time && one.bytes === other.bytes
