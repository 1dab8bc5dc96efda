// Users, ordered by name, and one user: recent history, events in the log, and erasure.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

import type { UserEventPage } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import type { ViewProps } from '../route.ts'
import { count, counted, dateAndTime, figure } from '../format.ts'
import { ConfirmButton } from '../parts/inputs.tsx'
import { HistoryTable, ItemLink, ItemNames } from '../parts/items.tsx'
import { Answer, Facts, Panel } from '../parts/panel.tsx'
import { addressOf, recommendationAddress, userAddress } from '../route.ts'
import { Details, PagedTable, PrefixField, usePages } from './paged-table.tsx'

const usersPerPage = 25

export function UsersPart({ params: { user } }: ViewProps) {
  const [prefix, setPrefix] = useState('')
  const [erased, setErased] = useState('')
  const pages = usePages(prefix, (after: string | undefined, signal) =>
    api.users({ prefix, after, limit: usersPerPage }, signal),
  )
  const onErased = (message: string): void => {
    setErased(message)
    location.hash = addressOf('data', { part: 'users' })
    pages.fetched.refresh()
  }
  return (
    <div class="with-details">
      <Panel title="Users">
        <PrefixField {...{ prefix, setPrefix }} />
        <p role="status" class="soft">
          {erased}
        </p>
        <PagedTable
          pages={pages}
          what="users"
          columns={['User', 'Variant', '#Interactions', '#Slates']}
          empty={prefix === '' ? 'No users yet.' : 'No user has this name.'}
          row={(entry) => ({
            key: entry.user,
            isCurrent: entry.user === user,
            cells: [
              <a href={userAddress(entry.user)}>{entry.user}</a>,
              entry.variant,
              count(entry.interactions),
              count(entry.slates),
            ],
          })}
        />
      </Panel>
      {user !== undefined && <UserDetails key={user} {...{ user, onErased }} />}
    </div>
  )
}

const maxHistory = 10

interface UserDetailsProps {
  readonly user: string
  onErased(words: string): void
}

function UserDetails({ user, onErased }: UserDetailsProps) {
  const fetched = useFetch((signal) => api.user(user, signal), [user])
  return (
    <Details title={user} back={addressOf('data', { part: 'users' })}>
      <Answer fetched={fetched} what="the user">
        {({ variant, slates, history }) => (
          <>
            <Facts of={{ Variant: variant, Slates: count(slates) }} />
            <h3>Last interactions</h3>
            {history.length === 0 ? (
              <p class="soft">No interactions yet.</p>
            ) : (
              <HistoryTable {...{ user }} history={history.slice(0, maxHistory)} />
            )}
            <h3>In the log</h3>
            <UserEvents user={user} />
            <p>
              <Erase {...{ user, onErased }} />
            </p>
          </>
        )}
      </Answer>
    </Details>
  )
}

function Erase({ user, onErased }: UserDetailsProps) {
  const erase = async (): Promise<void> => {
    const { events } = await api.eraseUser(user)
    onErased(`${user} was erased, with ${counted(events, 'event')}.`)
  }
  return (
    <ConfirmButton label="Erase" about={user} question={`Erase ${user}?`} onConfirm={erase}>
      This erases all events of the user and of users merged into them. Item counts remain, without
      a name. You cannot undo this.
    </ConfirmButton>
  )
}

type StoredEvent = UserEventPage['entries'][number]

const eventsPerPage = 10

function UserEvents({ user }: { readonly user: string }) {
  const pages = usePages<number, UserEventPage>(user, (before, signal) =>
    api.userEvents(user, { before, limit: eventsPerPage }, signal),
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
    case 'recommendation': {
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
    case 'interaction':
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
    case 'impressions':
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
