// The tables of a store's file.

import type { Generated } from 'kysely'

import type { SnapshotKind } from '../event-store.ts'

export interface Schema {
  readonly events: EventRow
  readonly log: { readonly head: number; readonly last_erasure: number; readonly checksum: number }
  /** The catalog at the head. */
  readonly items: { readonly item: string; readonly attributes: string; readonly position: number }
  readonly marks: { readonly name: string; readonly value: string }
  readonly keys: KeyRow
  readonly snapshots: SnapshotRow
  readonly snapshot_pieces: PieceRow
  readonly migrations: { readonly number: number; readonly name: string }
}

interface EventRow {
  readonly position: number
  readonly id: string | null
  readonly kind: string
  readonly user: string | null
  readonly recommendation: string | null
  /** The user whose past the event gives to another. */
  readonly merged: string | null
  readonly time: number | null
  readonly payload: string
  readonly checksum: number
}

interface KeyRow {
  readonly id: string
  readonly name: string
  readonly scopes: string
  readonly hash: string
  readonly created: number
  readonly revoked: number | null
}

/**
 * A snapshot is `begun` while its pieces are written, `whole` when it is complete, `listed` when its
 * bytes were dropped and only its entry stays, and `dropped` when all of it is to be deleted.
 */
export type SnapshotStage = 'begun' | 'whole' | typeof withoutBytes | 'dropped'

/** The stage of a snapshot that is listed without its bytes. */
export const withoutBytes = 'listed'

interface SnapshotRow {
  readonly id: Generated<number>
  readonly kind: SnapshotKind
  readonly scope: string
  readonly position: number
  readonly time: number
  readonly about: string
  readonly bytes: number
  readonly parts: number
  readonly stage: SnapshotStage
}

/** A part is cut into pieces, so that no transaction is long; `last` is 1 on the last of a part. */
interface PieceRow {
  readonly snapshot: number
  readonly part: number
  readonly piece: number
  readonly last: number
  readonly bytes: Uint8Array
  readonly checksum: number
}
