// Users in order of names.

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
  const [forgotten, setForgotten] = useState('')
  const pages = usePages(prefix, (after: string | undefined, signal) =>
    api.users({ prefix, after, limit: rowsOfPage }, signal),
  )
  const onForgotten = (words: string): void => {
    setForgotten(words)
    location.hash = addressOf('data', { part: 'users' })
    pages.asked.refresh()
  }
  return (
    <div class="beside">
      <Panel title="Users">
        <PrefixField {...{ prefix, setPrefix }} />
        <p role="status" class="soft">
          {forgotten}
        </p>
        <PagedTable
          pages={pages}
          what="users"
          columns={['User', 'Arm', '#Interactions', '#Slates']}
          empty={prefix === '' ? 'Nobody was here yet.' : 'No user is called like that.'}
          row={(entry) => ({
            key: entry.user,
            isCurrent: entry.user === user,
            cells: [
              <a href={userAddress(entry.user)}>{entry.user}</a>,
              entry.arm,
              count(entry.interactions),
              count(entry.slates),
            ],
          })}
        />
      </Panel>
      {user !== undefined && <UserDetails key={user} {...{ user, onForgotten }} />}
    </div>
  )
}
