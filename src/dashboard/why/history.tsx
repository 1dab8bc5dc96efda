// A user's interactions, newest first.

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
          {user} is a new user without a history. Relevance is the model’s estimate for a new user,
          and diversity is at its maximum.
        </Empty>
      ) : info.history.length === 0 ? (
        <Empty>{user} has no interactions yet.</Empty>
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
