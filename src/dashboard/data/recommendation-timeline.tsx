// The timeline of a slate: shown, chosen, trained on.

import type { ComponentChildren } from 'preact'

import type { RecommendationTimeline } from '../../service/index.ts'
import { sum } from '../../core/statistics.ts'
import { counted, dateAndTime, figure } from '../format.ts'
import { userAddress } from '../addresses.ts'
import { ItemNames } from '../parts/item-name.tsx'

export function RecommendationTimeline({
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
