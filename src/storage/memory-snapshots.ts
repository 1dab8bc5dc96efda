// The snapshots of a store without a file.

import type { RetainedSnapshots, NewSnapshot, SnapshotInfo, SnapshotKind } from './event-store.ts'
import type { Position } from './log-event.ts'
import { isRetained } from './retained-snapshots.ts'
import { toJson } from './plain-json.ts'
import { noSuchSnapshot, requireUpToDate } from './refusals.ts'

interface MemorySnapshots {
  write(
    snapshot: NewSnapshot,
    parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<SnapshotInfo>
  list(kind: SnapshotKind, scope: string): readonly SnapshotInfo[]
  scopes(kind: SnapshotKind): readonly string[]
  read(id: number): AsyncIterable<Uint8Array>
  trim(kind: SnapshotKind, scope: string, retained: RetainedSnapshots, maxListed: number): void
  /** A user was erased at that position. */
  dropStates(erasure: Position): void
  bytes(): number
}

export function createMemorySnapshots(): MemorySnapshots {
  let snapshots: readonly { info: SnapshotInfo; parts: readonly Uint8Array[] }[] = []
  let count = 0
  let lastErasure = 0

  return {
    async write(snapshot, given) {
      const about = JSON.parse(toJson(snapshot.about, 'about')) as NewSnapshot['about']
      const parts: Uint8Array[] = []
      for await (const part of given) parts.push(new Uint8Array(part))
      requireUpToDate(snapshot, lastErasure)
      const { kind, scope, position, time } = snapshot
      const info = { id: ++count, kind, scope, position, time, about, readable: true }
      const whole = { ...info, bytes: total(parts) }
      snapshots = [{ info: whole, parts }, ...snapshots]
      return whole
    },
    list: (kind, scope) =>
      snapshots
        .map(({ info }) => info)
        .filter((info) => info.kind === kind && info.scope === scope),
    scopes(kind) {
      const ofKind = snapshots.filter(({ info }) => info.kind === kind)
      return [...new Set(ofKind.map(({ info }) => info.scope))].toSorted()
    },
    async *read(id) {
      const found = snapshots.find(({ info }) => info.id === id && info.readable)
      if (!found) throw noSuchSnapshot(id)
      for (const part of found.parts) yield new Uint8Array(part)
    },
    trim(kind, scope, retained, maxListed) {
      let [place, reported] = [0, 0]
      snapshots = snapshots.flatMap((snapshot) => {
        const { info } = snapshot
        if (info.kind !== kind || info.scope !== scope) return [snapshot]
        if (info.readable && isRetained(retained, info.id, place++)) return [snapshot]
        if (kind !== 'weights' || reported++ >= maxListed) return []
        return [{ info: { ...info, readable: false }, parts: [] }]
      })
    },
    dropStates(erasure) {
      lastErasure = erasure
      snapshots = snapshots.filter(({ info }) => info.kind !== 'state')
    },
    bytes: () => snapshots.reduce((sum, { parts }) => sum + total(parts), 0),
  }
}

const total = (parts: readonly Uint8Array[]): number =>
  parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
