// How several services share a schema: they announce themselves, one has the lease of the learner, and the names of
// erased users stay until every service has applied the erasure.

import { RenError } from '../../core/errors.ts'
import type {
  AnnouncedService,
  ErasedUsers,
  SharedStore,
  SharingService,
  Lease,
} from '../event-store.ts'
import type { Position } from '../log-event.ts'
import type { Address } from './address.ts'
import type { Connection } from './connection.ts'
import type { Pool } from './pool.ts'

export const leaseName = 'learner'

/** After this time without an announcement, a service counts as gone. */
const goneAfter = "interval '10 seconds'"
/** After this time, the erasures that a service has not applied are deleted: it then starts again. */
const leftAfter = "interval '30 seconds'"
const erasureLife = "interval '10 minutes'"

/** Serializes services that join. */
const lock = `select pg_advisory_xact_lock(x'52454e33'::int, hashtext($1))`

type ServiceRow = readonly [
  id: string,
  name: string,
  position: Position,
  settings: string,
  about: string,
  joined: number,
  silentFor: number,
  isLearner: boolean,
]

const selectServices = `
  select s.id, s.name, s.position, s.settings, s.about, (extract(epoch from s.joined) * 1000)::float8,
    (extract(epoch from clock_timestamp() - s.seen) * 1000)::float8,
    coalesce(l.holder = s.id and l.expires > clock_timestamp(), false)
  from services s left join lease l on l.name = '${leaseName}'
  where s.seen > clock_timestamp() - ${goneAfter} order by s.joined, s.id`

const renew = `
  update services set position = $2, about = $3, seen = clock_timestamp() where id = $1 returning id`

const join = `
  insert into services values ($1, $4, $2, $5, $3, clock_timestamp(), clock_timestamp())
  on conflict (id) do update set seen = excluded.seen`

// Deletes what no service needs. Every service does so, since any of them may be the last one.
const tidy = [
  `delete from services where seen < clock_timestamp() - ${leftAfter}`,
  `delete from erasures where time < clock_timestamp() - ${erasureLife}
     or position <= (select min(position) from services)`,
]

// The lease belongs to the holder until it expires, and afterwards until another service takes it.
const takeLease = `
  insert into lease values ('${leaseName}', $1, 1, clock_timestamp() + $2 * interval '1 millisecond')
  on conflict (name) do update set holder = excluded.holder, expires = excluded.expires,
    epoch = lease.epoch + case when lease.holder = excluded.holder then 0 else 1 end
  where lease.holder = excluded.holder or lease.expires < clock_timestamp()
  returning epoch`

export const createSharing = (pool: Pool, address: Address) =>
  ({
    announce: (service) =>
      pool.run(async (connection) => {
        const rows = await connection.query<ServiceRow>(selectServices)
        const isKnown =
          rows.some(([id]) => id === service.id) && (await renewed(connection, service))
        if (!isKnown) await joinServices(connection, address, service)
        for (const sql of tidy) await connection.query(sql)
        const current = isKnown ? rows : await connection.query<ServiceRow>(selectServices)
        return current.map(toService)
      }),
    async leave(id) {
      await pool.query('delete from services where id = $1', [id])
    },
    async lead(id, milliseconds) {
      const [row] = await pool.query<[number]>(takeLease, [id, milliseconds])
      return row ? { id, epoch: row[0] } : null
    },
    async stopLeading({ id, epoch }: Lease) {
      await pool.query(
        // Without a holder, the next lease has another epoch, also that of the same service.
        `update lease set expires = clock_timestamp(), holder = '' where holder = $1 and epoch = $2`,
        [id, epoch],
      )
    },
    async erasedAt(position): Promise<ErasedUsers | null> {
      const [row] = await pool.query<[string, Position]>(
        'select users, last_reused_merge from erasures where position = $1',
        [position],
      )
      return row ? { users: JSON.parse(row[0]) as string[], lastReusedMerge: row[1] } : null
    },
  }) satisfies Partial<SharedStore>

const valuesOf = ({ id, position, about }: AnnouncedService) => [
  id,
  position,
  JSON.stringify(about),
]

const renewed = async (connection: Connection, service: AnnouncedService): Promise<boolean> =>
  (await connection.query(renew, valuesOf(service))).length > 0

/** Throws `settings-differ` if a running service has other settings. */
const joinServices = (connection: Connection, address: Address, service: AnnouncedService) =>
  connection.transaction(async () => {
    await connection.query(lock, [address.schema])
    const others = await connection.query<ServiceRow>(selectServices)
    for (const [id, name, , settings] of others) {
      if (id !== service.id) requireSame(service, name, JSON.parse(settings), address)
    }
    const { name, settings } = service
    await connection.query(join, [...valuesOf(service), name, JSON.stringify(settings)])
  })

function requireSame(
  { settings }: AnnouncedService,
  name: string,
  other: Readonly<Record<string, string>>,
  { shown }: Address,
): void {
  const names = Object.keys({ ...other, ...settings })
  const different = names.filter((one) => settings[one] !== other[one])
  if (different.length === 0) return
  const text = different.map(
    (one) => `${one}: here ${settings[one] ?? 'none'}, there ${other[one] ?? 'none'}`,
  )
  const message =
    `the service ${name}, which runs on ${shown}, has other settings (${text.join('; ')}); ` +
    'start with the same ones, or stop all services, wait 10 seconds, and start them with the new ones'
  throw new RenError('settings-differ', message, { details: { service: name, different } })
}

const toService = ([
  id,
  name,
  position,
  ,
  about,
  joined,
  silentFor,
  isLearner,
]: ServiceRow): SharingService => ({
  id,
  name,
  position,
  about: JSON.parse(about) as SharingService['about'],
  joined,
  silentFor: Math.max(0, silentFor),
  isLearner,
})
