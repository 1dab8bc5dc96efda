// One recommendation: shown, chosen, trained on.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

import { sum } from '../../core/statistics.ts'
import type { RecommendationTimeline } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import type { ViewProps } from '../route.ts'
import { counted, dateAndTime, digitsFor, figure, fixed } from '../format.ts'
import { Form, TextBox } from '../parts/inputs.tsx'
import { ItemLink, ItemNames } from '../parts/items.tsx'
import { Answer, Empty, Panel } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'
import { recommendationAddress, userAddress } from '../route.ts'

export function RecommendationPart({ params: { id = '' } }: ViewProps) {
  return (
    <Panel title="Recommendation">
      <IdForm key={id} id={id} />
      {id === '' ? (
        <Empty>Paste a recommendation’s id, or choose a slate among the events of a user.</Empty>
      ) : (
        <RecommendationDetails key={`recommendation ${id}`} id={id} />
      )}
    </Panel>
  )
}

function IdForm({ id }: { readonly id: string }) {
  const [typed, setTyped] = useState(id)
  return (
    <Form
      class="row narrow"
      onSubmit={() => {
        location.hash = recommendationAddress(typed.trim())
      }}
    >
      <label class="row id">
        Id
        <TextBox class="number" value={typed} onChange={setTyped} />
      </label>
      <button type="submit" disabled={typed.trim() === ''}>
        Show
      </button>
    </Form>
  )
}

function RecommendationDetails({ id }: { readonly id: string }) {
  const fetched = useFetch((signal) => api.recommendation(id, signal), [id], { everyMs: 5000 })
  return (
    <Answer fetched={fetched} what="the recommendation">
      {(recommendation) => (
        <>
          <RecommendationTimeline recommendation={recommendation} />
          <RecommendationItems items={recommendation.items} />
        </>
      )}
    </Answer>
  )
}

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

function RecommendationItems({ items }: Pick<RecommendationTimeline, 'items'>) {
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

function RecommendationTimeline({
  recommendation,
}: {
  readonly recommendation: RecommendationTimeline
}) {
  const { user, time, variant, policy, modelVersion, position, items, learnt } = recommendation
  const taken = items.filter((item) => item.taken)
  const seen = items.filter((item) => item.seen)
  const reward = sum(items.map((item) => item.reward ?? 0))
  const isOpen = items.some((item) => item.reward === null)
  return (
    <ol class="timeline">
      <Stage title="Shown" isDone>
        {counted(items.length, 'item')} to <a href={userAddress(user)}>{user}</a>,{' '}
        {dateAndTime(time)}
        <br />
        <span class="soft">
          variant {variant}, policy {policy}, model version {modelVersion},{' '}
          {position === null ? 'not yet in the log' : `position ${position} in the log`}
        </span>
      </Stage>
      <Stage
        title={taken.length === 0 && !isOpen ? 'Not chosen' : 'Chosen'}
        isDone={taken.length > 0}
      >
        {taken.length === 0 ? (
          isOpen ? (
            'No interaction yet.'
          ) : (
            'No interaction within the attribution window.'
          )
        ) : (
          <ItemNames items={taken.map(({ item }) => item)} />
        )}
        <br />
        <span class="soft">
          {seen.length} of {items.length} seen, total reward {figure(reward)}
        </span>
      </Stage>
      <Stage title="Trained on" isDone={learnt}>
        {learnt
          ? 'A later model version was trained on it.'
          : 'No model version has been trained on it yet.'}
      </Stage>
    </ol>
  )
}

interface StageProps {
  readonly title: string
  readonly isDone: boolean
  readonly children: ComponentChildren
}

function Stage({ title, isDone, children }: StageProps) {
  return (
    <li class={isDone ? 'stage done' : 'stage'}>
      <strong>
        {title}
        <span class="unseen">{isDone ? ', done' : ', not yet'}</span>
      </strong>
      <div>{children}</div>
    </li>
  )
}
