// The head of the log: one row, in which every commit takes its positions. Its lock puts the commits of all
// processes in order.

import type { Position } from '../log-event.ts'
import type { Connection } from './connection.ts'

export interface LogHead {
  /** The key of the row; see `rollHead`. */
  readonly segment: number
  /** The position of the last event. */
  readonly head: Position
  /** The position of the last `user-erased` event. */
  readonly lastErasure: Position
}

const selectHead = 'select segment, head, last_erasure from log_head'

const toHead = ([segment, head, lastErasure]: readonly [number, Position, Position]): LogHead => ({
  segment,
  head,
  lastErasure,
})

export async function readHead(connection: Connection): Promise<LogHead> {
  const [row] = await connection.query<[number, Position, Position]>(selectHead)
  return toHead(row!)
}

/** Locks the head until the transaction ends: other writers wait. */
export async function lockHead(connection: Connection): Promise<LogHead> {
  for (;;) {
    const [row] = await connection.query<[number, Position, Position]>(`${selectHead} for update`)
    // Without a row, another session continued with the next segment while this one waited.
    if (row) return toHead(row)
  }
}

/** Commits in one segment. */
export const commitsPerSegment = 2000

/**
 * Continues in a new row after many commits. An old snapshot, such as that of `pg_dump`, retains all versions of
 * a row, and each update would visit them.
 */
export async function rollHead(connection: Connection, segment: number): Promise<void> {
  await connection.query(
    `with old as (delete from log_head where segment = $1 and commits >= ${commitsPerSegment}
       returning head, last_erasure)
     insert into log_head select $1::bigint + 1, head, 0, last_erasure from old`,
    [segment],
  )
}
