// The figures at the top of the view Live, by name, as they are read.

import type { Status } from '../../service/index.ts'
import { count, figure } from '../format.ts'

/** What the stream has told since; null where it has told nothing yet. */
interface Told {
  readonly position: number | null
  readonly eventsPerSecond: number | null
}

export const tilesOf = (
  { items, users, position }: Pick<Status, 'items' | 'users' | 'position'>,
  told: Told | null,
): Readonly<Record<string, string>> => ({
  'Events a second': figure(told?.eventsPerSecond ?? null),
  'Events in the log': count(told?.position ?? position),
  Users: count(users),
  Items: count(items),
})
