// The figures at the top of the Live view, by name.

import type { Status } from '../../service/index.ts'
import { count, figure } from '../format.ts'
import type { LiveFigures } from './use-figures.ts'

/** `received` has the latest values from the stream; null before the first. */
export const tilesOf = (
  { items, users, position }: Pick<Status, 'items' | 'users' | 'position'>,
  received: Pick<LiveFigures, 'position' | 'eventsPerSecond'> | null,
): Readonly<Record<string, string>> => ({
  'Events per second': figure(received?.eventsPerSecond ?? null),
  'Events in the log': count(received?.position ?? position),
  Users: count(users),
  Items: count(items),
})
