// What a user took, the newest first.

import { count, dateAndTime, figure } from '../format.ts'
import { Panel } from '../parts/panel.tsx'
import { Empty } from '../parts/states.tsx'
import type { FoundUser } from './find-user.ts'

export function History({ found: { user, info } }: { readonly found: FoundUser }) {
  return (
    <Panel title="History" aside={<span class="soft">{aboutOf(info)}</span>}>
      {info === null ? (
        <Empty>
          Nothing is known of {user}. This is how anybody new is met: relevance is what the model
          expects of a stranger, and every direction of taste is still open.
        </Empty>
      ) : info.history.length === 0 ? (
        <Empty>{user} has taken nothing yet.</Empty>
      ) : (
        <div
          class="scroll why-history"
          tabIndex={0}
          role="region"
          aria-label={`History of ${user}`}
        >
          <table>
            <caption class="unseen">What {user} took, the newest first</caption>
            <thead>
              <tr>
                <th scope="col">Item</th>
                <th scope="col" class="number">
                  Reward
                </th>
                <th scope="col">Time</th>
              </tr>
            </thead>
            <tbody>
              {info.history.map(({ item, reward, time }, i) => (
                <tr key={i}>
                  <td>{item}</td>
                  <td class="number">{figure(reward)}</td>
                  <td class="soft">{dateAndTime(time)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}

const aboutOf = (info: FoundUser['info']): string =>
  info === null
    ? 'a new user'
    : `${count(info.history.length)} shown here, ${count(info.slates)} slates served`
