// One user: recent history, events in the log, and erasure.

import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import { count, counted } from '../format.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Facts } from '../parts/facts.tsx'
import { HistoryTable } from '../parts/history-table.tsx'
import { Answer } from '../parts/states.tsx'
import { addressOf } from '../route.ts'
import { Details } from './details.tsx'
import { UserEvents } from './user-events.tsx'

const maxHistory = 10

interface UserDetailsProps {
  readonly user: string
  onErased(words: string): void
}

export function UserDetails({ user, onErased }: UserDetailsProps) {
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
