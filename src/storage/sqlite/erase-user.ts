// Erases a user within a transaction.

import { belongingsOf, eraseEvents, type UserTrail } from '../erasure.ts'
import { prepareEvents, userOf } from '../log-event.ts'
import type { Answer, EraseUserCall } from './calls.ts'
import type { Database } from './database.ts'
import { checksumOf, toEvent, type StoredRow } from './event-rows.ts'
import { prepareSetEnds } from './log-ends.ts'
import { writeStatements } from './statements.ts'
import type { LogWriter } from './write-log.ts'

export function createEraser(
  database: Database,
  log: LogWriter,
): (call: EraseUserCall) => Answer<'eraseUser'> {
  const trail = createTrail(database)
  const replace = database.prepare(writeStatements.eraseEvent)
  const setEnds = prepareSetEnds(database)
  const dropStates = database.prepare(writeStatements.dropStates)

  return ({ user, time, variants }) => {
    const { users, cameBack, events } = belongingsOf(user, trail)
    const names = new Set(events.map(({ event }) => userOf(event)!))
    const variantsWanted = [...names].filter((name) => !variants.has(name))
    if (variantsWanted.length > 0) return { variantsWanted }
    for (const [at, event] of eraseEvents(events, (name) => variants.get(name)!).entries()) {
      const { position, id = null } = events[at]!
      const payload = JSON.stringify(event)
      replace.run(payload, checksumOf(position, id, payload), position)
    }
    const erased = prepareEvents([{ event: { kind: 'user-erased', time } }])
    const { head: position } = log.append({ events: erased, mark: null })
    setEnds({ head: position, lastErasure: position })
    dropStates.run()
    return { position, users, cameBack, events: events.length }
  }
}

function createTrail(database: Database): UserTrail {
  type Row = readonly [...StoredRow, merged: string | null]
  const between = database.prepareTuples<Row>(writeStatements.eventsBetween)
  const merge = database.prepare(writeStatements.lastMerge)
  return {
    eventsBetween: (user, after, before) =>
      between.all(user, after, before).map(([position, id, payload, checksum, merged]) => {
        const read = toEvent([position, id, payload, checksum])
        if (!('damage' in read)) return read
        // Damage must not prevent the erasure. The event is treated as a merge, which counts nothing:
        // its own contribution to the counts is lost.
        const event = { kind: 'users-merged', user, from: merged ?? user, time: 0 } as const
        return id === null ? { position, event } : { position, id, event }
      }),
    lastMerge: (user, before) => merge.first(user, before)?.position ?? 0,
  }
}
