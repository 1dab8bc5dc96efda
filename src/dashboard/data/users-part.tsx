// Users, ordered by name.

import { useState } from 'preact/hooks'

import { api } from '../api/client.ts'
import { count } from '../format.ts'
import { Panel } from '../parts/panel.tsx'
import { addressOf } from '../route.ts'
import type { ViewProps } from '../views.ts'
import { userAddress } from '../addresses.ts'
import { PagedTable } from './paged-table.tsx'
import { PrefixField } from './prefix-field.tsx'
import { UserDetails } from './user-details.tsx'
import { usePages } from './use-pages.ts'

const rowsOfPage = 25

export function UsersPart({ params: { user } }: ViewProps) {
  const [prefix, setPrefix] = useState('')
  const [erased, setErased] = useState('')
  const pages = usePages(prefix, (after: string | undefined, signal) =>
    api.users({ prefix, after, limit: rowsOfPage }, signal),
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
