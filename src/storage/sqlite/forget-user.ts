// Forgetting a user inside a transaction.

import { belongingsOf, erase } from '../forgetting.ts'
import type { UserTrail } from '../forgetting.ts'
import { userOf } from '../log-event.ts'
import { prepareEvents } from '../prepare-events.ts'
import type { Answer, ForgetCall } from './calls.ts'
import type { Database } from './database.ts'
import { checksumOf, storedColumns, toEvent } from './event-rows.ts'
import type { StoredRow } from './event-rows.ts'
import { prepareSetEnds } from './log-ends.ts'
import { constant, given, queries } from './schema.ts'
import type { LogWriter } from './write-log.ts'

export function createForgetter(
  database: Database,
  log: LogWriter,
): (call: ForgetCall) => Answer<'forget'> {
  const trail = createTrail(database)
  const replace = database.prepare(
    queries
      .updateTable('events')
      .set({
        kind: constant('erased'),
        user: constant(null),
        recommendation: constant(null),
        merged: constant(null),
        time: constant(null),
        payload: given,
        checksum: given,
      })
      .where('position', '=', given),
  )
  const setEnds = prepareSetEnds(database)
  const dropStates = database.prepare(
    queries
      .updateTable('snapshots')
      .set({ stage: constant('dropped') })
      .where('kind', '=', constant('state')),
  )

  return ({ user, time, arms }) => {
    const { users, events } = belongingsOf(user, trail)
    const names = new Set(events.map(({ event }) => userOf(event)!))
    const armsWanted = [...names].filter((name) => !arms.has(name))
    if (armsWanted.length > 0) return { armsWanted }
    for (const [at, event] of erase(events, (name) => arms.get(name)!).entries()) {
      const { position, id = null } = events[at]!
      const payload = JSON.stringify(event)
      replace.run(payload, checksumOf(position, id, payload), position)
    }
    const forgotten = prepareEvents([{ event: { kind: 'user-forgotten', time } }])
    const { head: position } = log.append({ events: forgotten, mark: null })
    setEnds({ head: position, forgotten: position })
    dropStates.run()
    return { position, users, events: events.length }
  }
}

function createTrail(database: Database): UserTrail {
  const between = database.prepareTuples<readonly [...StoredRow, merged: string | null]>(
    queries
      .selectFrom('events')
      .select([...storedColumns, 'merged'])
      .where('user', '=', given)
      .where('position', '>', given)
      .where('position', '<', given)
      .orderBy('position'),
  )
  const lastMerge = database.prepare(
    queries
      .selectFrom('events')
      .select('position')
      .where('merged', '=', given)
      .where('position', '<', given)
      .orderBy('position', 'desc')
      .limit(constant(1)),
  )
  return {
    eventsBetween: (user, after, before) =>
      between.all(user, after, before).map(([position, id, payload, checksum, merged]) => {
        const read = toEvent([position, id, payload, checksum])
        if (!('damage' in read)) return read
        // Damage must not keep anybody in the log: what such an event counted is lost, and it goes
        // as a merge does, which counts nothing.
        const event = { kind: 'users-merged', user, from: merged ?? user, time: 0 } as const
        return id === null ? { position, event } : { position, id, event }
      }),
    lastMerge: (user, before) => lastMerge.first(user, before)?.position ?? 0,
  }
}
