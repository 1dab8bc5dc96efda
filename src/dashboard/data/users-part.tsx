// Users, ordered by name, and one user: recent history, events in the log, and erasure.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

import type { UserEventPage } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import { count, counted, dateAndTime, figure } from '../format.ts'
import { ConfirmButton } from '../parts/inputs.tsx'
import { HistoryTable, ItemLink, ItemNames } from '../parts/items.tsx'
import { Loaded, Facts, Panel } from '../parts/panel.tsx'
import { addressOf, recommendationAddress, userAddress, type ViewProps } from '../route.ts'
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
          empty={prefix === '' ? 'No users yet.' : 'No user has this name.'}
          rowKey={(entry) => entry.user}
          isCurrent={(entry) => entry.user === user}
          columns={{
            User: (entry) => <a href={userAddress(entry.user)}>{entry.user}</a>,
            Variant: ({ variant }) => variant,
            '#Interactions': ({ interactions }) => count(interactions),
            '#Slates': ({ slates }) => count(slates),
          }}
        />
      </Panel>
      {user !== undefined && <UserDetails key={user} {...{ user, onErased }} />}
    </div>
  )
}

const maxHistory = 10

type UserDetailsProps = Readonly<{ user: string; onErased(message: string): void }>

function UserDetails({ user, onErased }: UserDetailsProps) {
  const fetched = useFetch((signal) => api.user(user, signal), [user])
  return (
    <Details title={user} back={addressOf('data', { part: 'users' })}>
      <Loaded fetched={fetched} what="the user">
        {({ variant, slates, history }) => (
          <>
            <Facts of={{ Variant: variant, Slates: count(slates) }} />
            <h3>Last interactions</h3>
            <HistoryTable {...{ user }} history={history.slice(0, maxHistory)} />
            <h3>In the log</h3>
            <UserEvents user={user} />
            <p>
              <Erase {...{ user, onErased }} />
            </p>
          </>
        )}
      </Loaded>
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
      empty="No events in the log."
      rowKey={({ position }) => position}
      columns={{
        '#Position': ({ position }) => position,
        '~Event': (stored) => <EventText {...stored} />,
        When: ({ event }) => 'time' in event && <span class="soft">{dateAndTime(event.time)}</span>,
      }}
    />
  )
}

function EventText({ id, event }: StoredEvent) {
  switch (event.kind) {
    case 'recommendation':
      return (
        <>
          <SlateLink id={id}>slate of {event.items.length}</SlateLink>:{' '}
          <span class="soft">
            <ItemNames items={event.items.map(({ item }) => item)} />
          </span>
        </>
      )
    case 'interaction':
      return (
        <>
          interaction with <ItemLink item={event.item} />, reward {figure(event.reward)}
          {event.recommendationId !== undefined && (
            <>
              , from <SlateLink id={event.recommendationId}>a slate</SlateLink>
            </>
          )}
        </>
      )
    case 'impressions':
      return (
        <>
          saw {counted(event.items.length, 'item')} of{' '}
          <SlateLink id={event.recommendationId}>a slate</SlateLink>
        </>
      )
    case 'users-merged':
      return (
        <>
          merged from <a href={userAddress(event.from)}>{event.from}</a>
        </>
      )
    default:
      return <>{event.kind}</>
  }
}

type SlateLinkProps = Readonly<{ id: string | undefined; children: ComponentChildren }>

/** Plain text without an id. */
function SlateLink({ id, children }: SlateLinkProps) {
  return id === undefined ? <>{children}</> : <a href={recommendationAddress(id)}>{children}</a>
}
