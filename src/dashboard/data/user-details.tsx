// One user: what memory keeps, what the log has, and the way to be forgotten.

import type { UserInfo } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useAsked } from '../api/use-asked.ts'
import { count, counted, dateAndTime, figure } from '../format.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Answer } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { addressOf } from '../route.ts'
import { itemAddress } from './addresses.ts'
import { Details, Facts } from './details.tsx'
import { UserEvents } from './user-events.tsx'

interface UserDetailsProps {
  readonly user: string
  onForgotten(words: string): void
}

export function UserDetails({ user, onForgotten }: UserDetailsProps) {
  const asked = useAsked((signal) => api.user(user, { signal }), [user])
  return (
    <Details title={user} back={addressOf('data', { part: 'users' })}>
      <Answer asked={asked} what="the user">
        {({ arm, slates, history }) => (
          <>
            <Facts of={{ Arm: arm, Slates: count(slates) }} />
            <h3>Took last</h3>
            <History history={history} />
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

const shownOfHistory = 10

function History({ history }: Pick<UserInfo, 'history'>) {
  if (history.length === 0) return <p class="soft">Nothing yet.</p>
  return (
    <Table label="The last interactions, newest first" columns={['Item', '#Reward', 'When']}>
      {history.slice(0, shownOfHistory).map(({ item, reward, time }, place) => (
        <tr key={place}>
          <td>
            <a href={itemAddress(item)}>{item}</a>
          </td>
          <td class="number">{figure(reward)}</td>
          <td>{dateAndTime(time)}</td>
        </tr>
      ))}
    </Table>
  )
}
