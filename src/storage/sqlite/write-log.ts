// Writing the log inside a transaction: events under the next positions, and what changes with them.

import type { ItemsPut, ItemsRemoved, LogEvent, Position } from '../log-event.ts'
import type { PreparedEvents } from '../prepare-events.ts'
import { requireUnmoved } from '../refusals.ts'
import type { AppendAnswer, AppendRequest } from './calls.ts'
import type { Database } from './database.ts'
import { checksumOf } from './event-rows.ts'
import { prepareEnds, prepareSetEnds } from './log-ends.ts'
import { given, queries } from './schema.ts'

export interface LogWriter {
  append(request: AppendRequest): AppendAnswer
}

export function createLogWriter(database: Database): LogWriter {
  const ends = prepareEnds(database)
  const setEnds = prepareSetEnds(database)
  const insert = database.prepare(
    queries
      .insertInto('events')
      .values({
        position: given,
        id: given,
        kind: given,
        user: given,
        recommendation: given,
        merged: given,
        time: given,
        payload: given,
        checksum: given,
      })
      .onConflict((conflict) => conflict.column('id').where('id', 'is not', null).doNothing()),
  )
  const positionOf = database.prepare(
    queries.selectFrom('events').select('position').where('id', '=', given),
  )
  const changeItems = createItemsWriter(database)
  const setMark = createMarkWriter(database)

  /** Whether it is new. */
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
    append({ events, mark }) {
      const { head: before, forgotten } = ends()
      let head = before
      const repeated = new Map<number, Position>()
      for (let at = 0; at < events.ids.length; at++) {
        if (add(events, at, head + 1)) changeItems(events.kinds[at]!, events.payloads[at]!, ++head)
        else repeated.set(at, positionOf.first(events.ids[at]!)!.position)
      }
      if (head > before) setEnds({ head, forgotten })
      if (mark) setMark(mark)
      return { first: before + 1, repeated, head }
    },
  }
}

function createItemsWriter(
  database: Database,
): (kind: LogEvent['kind'], payload: string, position: Position) => void {
  const put = database.prepare(
    queries.replaceInto('items').values({ item: given, attributes: given, position: given }),
  )
  const remove = database.prepare(queries.deleteFrom('items').where('item', '=', given))

  return (kind, payload, position) => {
    if (kind === 'items-put') {
      for (const { item, attributes = {} } of (JSON.parse(payload) as ItemsPut).items) {
        put.run(item, JSON.stringify(attributes), position)
      }
    }
    if (kind === 'items-removed') {
      for (const item of (JSON.parse(payload) as ItemsRemoved).items) remove.run(item)
    }
  }
}

function createMarkWriter(database: Database): (mark: NonNullable<AppendRequest['mark']>) => void {
  const read = database.prepare(
    queries.selectFrom('marks').select('value').where('name', '=', given),
  )
  const write = database.prepare(queries.replaceInto('marks').values({ name: given, value: given }))
  return (mark) => {
    requireUnmoved(mark, read.first(mark.name)?.value ?? null)
    write.run(mark.name, mark.value)
  }
}
