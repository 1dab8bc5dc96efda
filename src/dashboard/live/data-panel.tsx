// The contents of the log: users, items, repeat rate and interactions per day.

import { day as dayMs } from '../../core/time-units.ts'
import type { DataFigures, Status } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import { count, counted, day, percent } from '../format.ts'
import { Loaded, Facts, Panel } from '../parts/panel.tsx'

export function DataPanel({ excludeSeen }: Pick<Status, 'excludeSeen'>) {
  const fetched = useFetch(api.data, [], { everyMs: 5000 })
  return (
    <Panel title="Data">
      <Loaded {...{ fetched }} what="the data">
        {(data) => (
          <>
            <Facts of={factsOf(data)} />
            <Days data={data} />
          </>
        )}
      </Loaded>
      <p class="soft small">{seenText(excludeSeen)}</p>
    </Panel>
  )
}

const factsOf = (data: DataFigures): Readonly<Record<string, string>> => ({
  Users: count(data.users),
  Items: count(data.items),
  Interactions: count(data.interactions),
  'Repeat rate': percent(data.repeatRate),
  'Items without interactions': count(data.itemsWithoutInteractions),
  ...(data.first !== null &&
    data.last !== null && { 'From – to': `${day(data.first)} – ${day(data.last)}` }),
})

/** With fewer interactions, the service does not use the repeat rate. */
const minInteractions = 1000

export function seenText(seen: Status['excludeSeen']): string {
  const { mode, excludes, repeatRate, interactions } = seen
  const verdict = excludes
    ? 'Slates leave out items that the user has interacted with.'
    : 'Slates may repeat items that the user has interacted with.'
  if (mode !== 'auto') return verdict
  if (repeatRate === null || interactions < minInteractions) {
    return `${verdict} The share of repeats decides this from ${count(minInteractions)} interactions on.`
  }
  return `${verdict} Repeats: ${percent(repeatRate)} of ${counted(interactions, 'interaction')} that could repeat.`
}

type DayFigures = Pick<DataFigures, 'eventsPerDay' | 'interactions'>

/** Mentions earlier interactions, since the days are those before the newest interaction. */
export function daysText({ eventsPerDay: days, interactions }: DayFigures): string {
  const shown = days.reduce((sum, each) => sum + each.count, 0)
  const earlier = interactions > shown ? `; ${count(interactions - shown)} are older` : ''
  return `Interactions per day, at most ${count(Math.max(...days.map((each) => each.count)))}${earlier}`
}

function Days({ data }: { readonly data: DayFigures }) {
  const { eventsPerDay: days } = data
  if (days.length === 0) return null
  const [first, last] = [Date.parse(days[0]!.day), Date.parse(days.at(-1)!.day)]
  const length = 1 + Math.round((last - first) / dayMs)
  const max = Math.max(...days.map((each) => each.count))
  const bars = days.map((each) => {
    const x = (Date.parse(each.day) - first) / dayMs
    return `M${x},100v${-(100 * each.count) / max}h.9V100`
  })
  const label = `${daysText(data)}, from ${day(first)} to ${day(last)}`
  return (
    <figure class="days" role="figure" aria-label={label}>
      <figcaption class="soft small">{daysText(data)}</figcaption>
      <svg viewBox={`0 0 ${length} 100`} preserveAspectRatio="none" aria-hidden="true">
        <path d={bars.join('')} />
      </svg>
      <div class="soft small" aria-hidden="true">
        <span>{day(first)}</span>
        {length > 1 && <span>{day(last)}</span>}
      </div>
    </figure>
  )
}
