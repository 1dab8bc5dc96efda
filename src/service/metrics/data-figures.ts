// The size of the data and interactions per day, such as to check an import. All figures come from
// counts that are updated with each event, so a request does not read the log.

import { day as dayLength } from '../../core/time-units.ts'
import type { CatalogView } from '../../recommender/index.ts'
import type { DataFigures } from '../schemas/figures.ts'
import type { LiveState } from '../state/live-state.ts'

const maxDays = 400

export function dataFigures(live: LiveState): DataFigures {
  const states = live.groups.map(({ recommender }) => recommender.state)
  const days = countsByDay(states)
  const [first = null] = days[0] ?? []
  const [last = null] = days.at(-1) ?? []
  const shown = days.filter(([day]) => day > last! - maxDays)
  return {
    users: live.userCount,
    items: live.itemCount,
    ...countInteractions(states, live.catalog),
    repeatRate: live.seenExclusion.status.repeatRate,
    first: first === null ? null : first * dayLength,
    last: last === null ? null : last * dayLength,
    eventsPerDay: shown.map(([day, count]) => ({ day: dayText(day), count })),
  }
}

type State = LiveState['groups'][number]['recommender']['state']

function countInteractions(states: readonly State[], catalog: CatalogView) {
  let [interactions, itemsWithout] = [0, 0]
  const countsOfStates = states.map((state) => state.interactions)
  for (let row = 0; row < catalog.names.length; row++) {
    let ofItem = 0
    for (const counts of countsOfStates) ofItem += counts[row]!
    interactions += ofItem
    if (ofItem === 0 && !catalog.removed.has(row)) itemsWithout += 1
  }
  return { interactions, itemsWithoutInteractions: itemsWithout }
}

function countsByDay(states: readonly State[]): readonly (readonly [day: number, count: number])[] {
  const counts = new Map<number, number>()
  for (const { days } of states) {
    for (const [day, count] of days) counts.set(day, (counts.get(day) ?? 0) + count)
  }
  return [...counts].toSorted(([a], [b]) => a - b)
}

/** The range of a Date, in days from 1970. */
const maxDay = 100_000_000

function dayText(day: number): string {
  const within = Math.max(-maxDay, Math.min(maxDay, day))
  return new Date(within * dayLength).toISOString().split('T')[0]!
}
