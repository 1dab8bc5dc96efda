// A user's interactions, newest first.

import type { UserInfo } from '../../service/index.ts'
import { dateAndTime, figure, timeOrDate } from '../format.ts'
import { ItemLink } from './item-name.tsx'
import { Table } from './table.tsx'

const columns = ['~Item', '#Reward', 'When']

export function HistoryTable({ user, history }: Pick<UserInfo, 'user' | 'history'>) {
  return (
    <Table
      label={`History of ${user}, the newest first`}
      columns={columns}
      rows={history.map(({ item, reward, time }, place) => ({
        key: place,
        cells: [
          <ItemLink item={item} />,
          figure(reward),
          <span class="soft" title={dateAndTime(time)}>
            {timeOrDate(time, Date.now())}
          </span>,
        ],
      }))}
    />
  )
}
