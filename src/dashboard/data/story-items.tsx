// The items of a slate: why each was in it, and what came of it.

import type { RecommendationStory } from '../../service/index.ts'
import { figure, fixed } from '../format.ts'
import { Table } from '../parts/table.tsx'
import { itemAddress } from './addresses.ts'

const columns = [
  '#Slot',
  'Item',
  '#Relevance',
  '#Diversity',
  '#Uncertainty',
  '#Score',
  'Seen',
  '#Reward',
  'Taken',
]

export function StoryItems({ items }: Pick<RecommendationStory, 'items'>) {
  return (
    <Table label="The items of the slate, with the terms of their scores" columns={columns}>
      {items.map((served, place) => (
        <tr key={served.item}>
          <td class="number">{place + 1}</td>
          <th scope="row" class="plain">
            <a href={itemAddress(served.item)}>{served.item}</a>
            {served.pinned && <span class="soft"> pinned</span>}
            {served.boost !== undefined && (
              <span class="soft"> boosted by {figure(served.boost)}</span>
            )}
          </th>
          <td class="number">{fixed(served.relevance)}</td>
          <td class="number">{fixed(served.diversity)}</td>
          <td class="number">{fixed(served.uncertainty)}</td>
          <td class="number">{fixed(served.score)}</td>
          <td>{served.seen ? 'yes' : 'no'}</td>
          <td class="number">{figure(served.reward)}</td>
          <td class={served.taken ? 'good' : 'soft'}>{served.taken ? 'yes' : 'no'}</td>
        </tr>
      ))}
    </Table>
  )
}
