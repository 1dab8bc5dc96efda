// Publishes weights: one statement checks the lease of the learner, completes the snapshot and appends the event.
// A learner that stood still while another one took over thus changes nothing, wherever it continues.

import { RenError } from '../../core/errors.ts'
import type { Lease } from '../event-store.ts'
import type { Position, WeightsPublishedEvent } from '../log-event.ts'
import type { Group, Inserted } from './append.ts'
import type { Connection } from './connection.ts'
import { leaseName } from './sharing.ts'
import { checksumOf } from './rows.ts'

export interface WeightsToPublish {
  readonly lease: Lease
  readonly event: WeightsPublishedEvent
  /** The number of parts of the snapshot. */
  readonly parts: number
}

// The lease and the snapshot are locked before the head, as everywhere: two sessions cannot wait for each other.
const publishWeights = `
  with valid as (
    select 1 from lease, snapshots
    where lease.name = '${leaseName}' and lease.holder = $1 and lease.epoch = $2
      and lease.expires > clock_timestamp() and snapshots.id = $3 and snapshots.stage = 'begun'
    for update),
  taken as (
    update log_head set head = head + 1, commits = commits + 1 from valid where segment = $4
    returning head, commits),
  whole as (
    update snapshots set stage = 'whole', parts = $5, bytes = $6 from taken where id = $3),
  inserted as (
    insert into events (position, stamp, kind, time, payload, checksum)
    select head, $7, $8, $9, $10, $11 from taken)
  select (select count(*) from valid), (select head from taken), (select commits from taken)`

/** Returns null if the head has continued in another segment. Throws `lease-lost`. */
export async function publish(
  connection: Connection,
  { lease, event, parts }: WeightsToPublish,
  { events: { payloads }, stamp }: Group,
  segment: number,
): Promise<Inserted | null> {
  const { id, bytes } = event.snapshot
  const [payload] = payloads as [string]
  const [row] = await connection.query<[number, Position | null, number | null]>(publishWeights, [
    lease.id,
    lease.epoch,
    id,
    segment,
    parts,
    bytes,
    stamp,
    event.kind,
    event.time,
    payload,
    checksumOf(null, payload),
  ])
  const [valid, head, commits] = row!
  if (valid === 0) throw leaseLost(event)
  if (head === null) return null
  return { positions: [head], isNew: [true], head, commits: commits!, before: null }
}

const leaseLost = ({ group }: WeightsPublishedEvent): RenError =>
  new RenError(
    'lease-lost',
    `the weights of ${group} were not published: another service has become the learner, or this one did not renew its lease`,
  )
