// Appends events within a transaction, and updates the catalog and marks.

import type { Mark } from '../event-store.ts'
import type { ItemsPutEvent, ItemsRemovedEvent } from '../../core/events.ts'
import type { LogEvent, Position, PreparedEvents } from '../log-event.ts'
import { requireUnmoved } from '../refusals.ts'
import type { AppendAnswer, AppendRequest } from './calls.ts'
import type { Database } from './database.ts'
import { checksumOf } from './event-rows.ts'
import { prepareEnds, prepareSetEnds } from './log-ends.ts'
import { writeStatements } from './statements.ts'

export type LogWriter = ReturnType<typeof createLogWriter>

export function createLogWriter(database: Database) {
  const ends = prepareEnds(database)
  const setEnds = prepareSetEnds(database)
  const insert = database.prepare(writeStatements.insertEvent)
  const positionOf = database.prepare(writeStatements.positionOf)
  const changeItems = createItemsWriter(database)
  const setMark = createMarkWriter(database)

  /** Returns false if the id is repeated. */
  function add(events: PreparedEvents, at: number, position: Position): boolean {
    const [id, payload] = [events.ids[at]!, events.payloads[at]!]
    const changes = insert.run(
      position,
      id,
      events.kinds[at]!,
      events.users[at]!,
      events.recommendations[at]!,
      events.merged[at]!,
      events.times[at]!,
      payload,
      checksumOf(position, id, payload),
    )
    return changes === 1
  }

  return {
    append({ events, mark }: AppendRequest): AppendAnswer {
      const { head: before, lastErasure } = ends()
      let head = before
      const repeated = new Map<number, Position>()
      for (let at = 0; at < events.ids.length; at++) {
        if (add(events, at, head + 1)) changeItems(events.kinds[at]!, events.payloads[at]!, ++head)
        else repeated.set(at, positionOf.first(events.ids[at]!)!.position)
      }
      if (head > before) setEnds({ head, lastErasure })
      if (mark) setMark(mark)
      return { first: before + 1, repeated, head }
    },
  }
}

function createItemsWriter(
  database: Database,
): (kind: LogEvent['kind'], payload: string, position: Position) => void {
  const put = database.prepare(writeStatements.putItem)
  const remove = database.prepare(writeStatements.removeItem)

  return (kind, payload, position) => {
    if (kind === 'items-put') {
      for (const { item, attributes = {} } of (JSON.parse(payload) as ItemsPutEvent).items) {
        put.run(item, JSON.stringify(attributes), position)
      }
    }
    if (kind === 'items-removed') {
      for (const item of (JSON.parse(payload) as ItemsRemovedEvent).items) remove.run(item)
    }
  }
}

function createMarkWriter(database: Database): (mark: Mark) => void {
  const read = database.prepare(writeStatements.mark)
  const write = database.prepare(writeStatements.setMark)
  return (mark) => {
    requireUnmoved(mark, read.first(mark.name)?.value ?? null)
    write.run(mark.name, mark.value)
  }
}
