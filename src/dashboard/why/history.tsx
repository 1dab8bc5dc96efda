// What a user gave feedback on, the newest first.

import { count } from '../format.ts'
import { HistoryTable } from '../parts/history-table.tsx'
import { Panel } from '../parts/panel.tsx'
import { Empty } from '../parts/states.tsx'
import type { FoundUser } from '../parts/find-user.ts'

export function History({ found: { user, info } }: { readonly found: FoundUser }) {
  return (
    <Panel title="History" aside={<span class="soft small">{aboutOf(info)}</span>}>
      {info === null ? (
        <Empty>
          Nothing is known of {user}. This is how anybody new is met: relevance is what the model
          expects of a stranger, and every direction of taste is still open.
        </Empty>
      ) : info.history.length === 0 ? (
        <Empty>{user} has given no feedback yet.</Empty>
      ) : (
        <div class="why-history">
          <HistoryTable {...info} />
        </div>
      )}
    </Panel>
  )
}

const aboutOf = (info: FoundUser['info']): string =>
  info === null
    ? 'a new user'
    : `${count(info.history.length)} shown here, ${count(info.slates)} slates served`
