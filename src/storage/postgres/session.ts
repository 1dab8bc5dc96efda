// The session of a writer: a service claims a store by a lock of the session that writes, shared with other
// services or alone. The server releases it when the session ends, so a service that lost its connection ends the
// old session, and claims the store again before it writes.

import { setTimeout } from 'node:timers/promises'

import { RenError } from '../../core/errors.ts'
import type { Address } from './address.ts'
import type { Connection, Session } from './connection.ts'

/** Ends a session of the same user, and resolves when its last statement has taken effect or not. */
export async function endSession(
  connection: Connection,
  { pid, started }: Session,
  patience: number,
): Promise<void> {
  const deadline = performance.now() + patience
  for (;;) {
    const [row] = await connection.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where pid = $1 and extract(epoch from backend_start)::text = $2`,
      [pid, started],
    )
    if (!row) return
    if (performance.now() > deadline) {
      throw new RenError('store-failed', `the session ${pid} of the lost connection does not end`)
    }
    await setTimeout(20)
  }
}

/** The class of the lock; its object is the schema. */
const lockClass = "x'52454e32'::int"

/** Milliseconds to wait for the session of a process that has just died. */
const claimPatience = 1000

/** `alone` excludes every other claim. Earlier versions of this package know no other kind. */
export type ClaimKind = 'alone' | 'shared'

/** Throws `store-in-use` if another service has a claim that excludes this one. */
export async function claimSchema(
  connection: Connection,
  { shown, schema }: Address,
  kind: ClaimKind,
): Promise<void> {
  const deadline = performance.now() + claimPatience
  const lock = kind === 'alone' ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared'
  for (;;) {
    const [row] = await connection.query<[boolean]>(`select ${lock}(${lockClass}, hashtext($1))`, [
      schema,
    ])
    if (row![0]) return
    if (performance.now() > deadline) break
    await setTimeout(100)
  }
  const [owner] = await connection.query<[number, string]>(
    `select pid, coalesce(host(client_addr), 'a local socket') from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and granted
       and database = (select oid from pg_database where datname = current_database())
       and classid::bigint = ${lockClass} and objid::bigint = hashtext($1)::bit(32)::bigint`,
    [schema],
  )
  const who = owner ? ` (session ${owner[0]} from ${owner[1]})` : ''
  const uses = kind === 'alone' ? 'uses' : 'uses alone'
  const message = `another service${who} ${uses} the schema ${schema} of ${shown}; stop it first, or choose another schema`
  throw new RenError('store-in-use', message)
}
