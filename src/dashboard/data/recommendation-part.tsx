// One recommendation: shown, chosen, trained on.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

import { sum } from '../../core/statistics.ts'
import type { RecommendationTimeline } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import { counted, dateAndTime, digitsFor, figure, fixed } from '../format.ts'
import { Form, TextBox } from '../parts/inputs.tsx'
import { ItemLink, ItemNames } from '../parts/items.tsx'
import { Button, Empty, Loaded, Panel } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'
import { recommendationAddress, userAddress, type ViewProps } from '../route.ts'
import type { TermName } from '../why/terms.ts'

export const RecommendationPart = ({ params: { id = '' } }: ViewProps) => (
  <Panel title="Recommendation">
    <IdForm key={id} id={id} />
    {id === '' ? (
      <Empty>Paste the id of a recommendation, or select a slate in the events of a user.</Empty>
    ) : (
      <RecommendationDetails key={`recommendation ${id}`} id={id} />
    )}
  </Panel>
)

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
      <Button type="submit" label="Show" disabled={typed.trim() === ''} />
    </Form>
  )
}

function RecommendationDetails({ id }: { readonly id: string }) {
  const fetched = useFetch((signal) => api.recommendation(id, signal), [id], { everyMs: 5000 })
  return (
    <Loaded fetched={fetched} what="the recommendation">
      {(recommendation) => (
        <>
          <Stages {...recommendation} />
          <RecommendationItems items={recommendation.items} />
        </>
      )}
    </Loaded>
  )
}

type ServedItem = RecommendationTimeline['items'][number]

function RecommendationItems({ items }: Pick<RecommendationTimeline, 'items'>) {
  const digits = digitsFor([0, Math.max(...items.map(({ score }) => Math.abs(score)))])
  const term = (name: TermName | 'score') => (item: ServedItem) => fixed(item[name] ?? null, digits)
  const hasExperience = items.some(({ experience }) => experience !== undefined)
  return (
    <Table
      label="Items of the slate with the terms of their scores"
      rows={items}
      rowKey={({ item }) => item}
      columns={{
        '#Slot': (_, index) => index + 1,
        '~Item': (item) => <Name {...item} />,
        '#Relevance': term('relevance'),
        ...(hasExperience && { '#Experience': term('experience') }),
        '#Diversity': term('diversity'),
        '#Uncertainty': term('uncertainty'),
        '#Score': term('score'),
        Seen: ({ seen }) => (seen ? 'yes' : 'no'),
        '#Reward': ({ reward }) => figure(reward),
        Chosen: ({ chosen }) => (
          <span class={chosen ? 'good' : 'soft'}>{chosen ? 'yes' : 'no'}</span>
        ),
      }}
    />
  )
}

const Name = ({ item, pinned, boost }: ServedItem) => (
  <>
    <ItemLink item={item} />
    {pinned && <span class="soft"> pinned</span>}
    {boost !== undefined && <span class="soft"> boosted by {figure(boost)}</span>}
  </>
)

function Stages(recommendation: RecommendationTimeline) {
  const { user, time, variant, policy, modelVersion, position, items, trained } = recommendation
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
      <ChosenStage items={items} />
      <Stage title="Trained on" isDone={trained}>
        {trained
          ? 'A later model version was trained on it.'
          : 'No model version has been trained on it yet.'}
      </Stage>
    </ol>
  )
}

function ChosenStage({ items }: Pick<RecommendationTimeline, 'items'>) {
  const chosen = items.filter((item) => item.chosen)
  const seen = items.filter((item) => item.seen)
  const reward = sum(items.map((item) => item.reward ?? 0))
  const isOpen = items.some((item) => item.reward === null)
  const none = isOpen ? 'No interaction yet.' : 'No interaction within the attribution window.'
  return (
    <Stage
      title={chosen.length === 0 && !isOpen ? 'Not chosen' : 'Chosen'}
      isDone={chosen.length > 0}
    >
      {chosen.length === 0 ? none : <ItemNames items={chosen.map(({ item }) => item)} />}
      <br />
      <span class="soft">
        {seen.length} of {items.length} seen, total reward {figure(reward)}
      </span>
    </Stage>
  )
}

type StageProps = Readonly<{ title: string; isDone: boolean; children: ComponentChildren }>

const Stage = ({ title, isDone, children }: StageProps) => (
  <li class={isDone ? 'stage done' : 'stage'}>
    <strong>
      {title}
      <span class="unseen">{isDone ? ', done' : ', not yet'}</span>
    </strong>
    <div>{children}</div>
  </li>
)
