// The figures at the top of the Live view, by name.

import type { Status } from '../../service/index.ts'
import { count, figure } from '../format.ts'

/** The latest values from the stream; null before the first. */
interface Received {
  readonly position: number | null
  readonly eventsPerSecond: number | null
}

export const tilesOf = (
  { items, users, position }: Pick<Status, 'items' | 'users' | 'position'>,
  received: Received | null,
): Readonly<Record<string, string>> => ({
  'Events per second': figure(received?.eventsPerSecond ?? null),
  'Events in the log': count(received?.position ?? position),
  Users: count(users),
  Items: count(items),
})
