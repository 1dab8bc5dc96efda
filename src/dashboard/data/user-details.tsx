// One user: what memory keeps, what the log has, and the way to be forgotten.

import { api } from '../api/client.ts'
import { useAsked } from '../api/use-asked.ts'
import { count, counted } from '../format.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Facts } from '../parts/facts.tsx'
import { HistoryTable } from '../parts/history-table.tsx'
import { Answer } from '../parts/states.tsx'
import { addressOf } from '../route.ts'
import { Details } from './details.tsx'
import { UserEvents } from './user-events.tsx'

const shownOfHistory = 10

interface UserDetailsProps {
  readonly user: string
  onForgotten(words: string): void
}

export function UserDetails({ user, onForgotten }: UserDetailsProps) {
  const asked = useAsked((signal) => api.user(user, signal), [user])
  return (
    <Details title={user} back={addressOf('data', { part: 'users' })}>
      <Answer asked={asked} what="the user">
        {({ arm, slates, history }) => (
          <>
            <Facts of={{ Arm: arm, Slates: count(slates) }} />
            <h3>Last interactions</h3>
            {history.length === 0 ? (
              <p class="soft">Nothing yet.</p>
            ) : (
              <HistoryTable {...{ user }} history={history.slice(0, shownOfHistory)} />
            )}
            <h3>In the log</h3>
            <UserEvents user={user} />
            <p>
              <Forget {...{ user, onForgotten }} />
            </p>
          </>
        )}
      </Answer>
    </Details>
  )
}

function Forget({ user, onForgotten }: UserDetailsProps) {
  const forget = async (): Promise<void> => {
    const { events } = await api.forgetUser(user)
    onForgotten(`${user} is forgotten: ${counted(events, 'event')} erased.`)
  }
  return (
    <ConfirmButton
      label="Forget"
      about={user}
      question={`Forget ${user} for good?`}
      onConfirm={forget}
    >
      Everything under this name is erased, and all of those who were merged into it. What it added
      to the counts of items stays, without a name. Nothing brings it back.
    </ConfirmButton>
  )
}
