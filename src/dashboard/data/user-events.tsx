// The events of a user in the log, newest first.

import type { ComponentChildren } from 'preact'

import type { UserEventPage } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { counted, dateAndTime, figure } from '../format.ts'
import { recommendationAddress, userAddress } from '../addresses.ts'
import { ItemLink, ItemNames } from '../parts/item-name.tsx'
import { PagedTable } from './paged-table.tsx'
import { usePages } from './use-pages.ts'

type StoredEvent = UserEventPage['entries'][number]

const rowsOfPage = 10

export function UserEvents({ user }: { readonly user: string }) {
  const pages = usePages<number, UserEventPage>(user, (before, signal) =>
    api.userEvents(user, { before, limit: rowsOfPage }, signal),
  )
  return (
    <PagedTable
      pages={pages}
      what="events"
      columns={['#Position', '~What', 'When']}
      empty="No events in the log."
      row={(stored) => ({
        key: stored.position,
        cells: [
          stored.position,
          describeEvent(stored),
          'time' in stored.event && <span class="soft">{dateAndTime(stored.event.time)}</span>,
        ],
      })}
    />
  )
}

function describeEvent({ id, event }: StoredEvent): ComponentChildren {
  switch (event.kind) {
    case 'served': {
      const words = `slate of ${event.items.length}`
      return (
        <>
          {id === undefined ? words : <a href={recommendationAddress(id)}>{words}</a>}:{' '}
          <span class="soft">
            <ItemNames items={event.items.map(({ item }) => item)} />
          </span>
        </>
      )
    }
    case 'feedback':
      return (
        <>
          interaction with <ItemLink item={event.item} />, reward {figure(event.reward)}
          {event.recommendationId !== undefined && (
            <>
              , from <a href={recommendationAddress(event.recommendationId)}>a slate</a>
            </>
          )}
        </>
      )
    case 'seen':
      return (
        <>
          saw {counted(event.items.length, 'item')} of{' '}
          <a href={recommendationAddress(event.recommendationId)}>a slate</a>
        </>
      )
    case 'users-merged':
      return (
        <>
          merged from <a href={userAddress(event.from)}>{event.from}</a>
        </>
      )
    default:
      return event.kind
  }
}
