// The items of a slate: the terms of their scores, and their feedback.

import type { RecommendationTimeline } from '../../service/index.ts'
import { digitsFor, figure, fixed } from '../format.ts'
import { Table } from '../parts/table.tsx'
import { ItemLink } from '../parts/item-name.tsx'

const columns = [
  '#Slot',
  '~Item',
  '#Relevance',
  '#Diversity',
  '#Uncertainty',
  '#Score',
  'Seen',
  '#Reward',
  'Chosen',
]

export function RecommendationItems({ items }: Pick<RecommendationTimeline, 'items'>) {
  const digits = digitsFor([0, Math.max(...items.map(({ score }) => Math.abs(score)))])
  return (
    <Table
      label="Items of the slate with the terms of their scores"
      columns={columns}
      rows={items.map((served, place) => ({
        key: served.item,
        cells: [
          place + 1,
          <Name {...served} />,
          ...[served.relevance, served.diversity, served.uncertainty, served.score].map((term) =>
            fixed(term, digits),
          ),
          served.seen ? 'yes' : 'no',
          figure(served.reward),
          <span class={served.taken ? 'good' : 'soft'}>{served.taken ? 'yes' : 'no'}</span>,
        ],
      }))}
    />
  )
}

function Name({ item, pinned, boost }: RecommendationTimeline['items'][number]) {
  return (
    <>
      <ItemLink item={item} />
      {pinned && <span class="soft"> pinned</span>}
      {boost !== undefined && <span class="soft"> boosted by {figure(boost)}</span>}
    </>
  )
}
