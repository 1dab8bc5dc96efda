// What happened to a slate so far, and what is still to come.

import type { ComponentChildren } from 'preact'

import type { RecommendationStory } from '../../service/index.ts'
import { sum } from '../../core/mean.ts'
import { counted, dateAndTime, figure } from '../format.ts'
import { userAddress } from '../addresses.ts'
import { ItemNames } from '../parts/item-name.tsx'

export function StoryTimeline({ story }: { readonly story: RecommendationStory }) {
  const { user, time, arm, policy, modelVersion, position, items, learnt } = story
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
          arm {arm}, policy {policy}, model version {modelVersion},{' '}
          {position === null ? 'on its way into the log' : `position ${position} of the log`}
        </span>
      </Stage>
      <Stage
        title={taken.length === 0 && !isOpen ? 'Not taken' : 'Taken'}
        isDone={taken.length > 0}
      >
        {taken.length === 0 ? (
          isOpen ? (
            'Nothing yet; there is still time.'
          ) : (
            'Nothing was, and the time for it is over.'
          )
        ) : (
          <ItemNames items={taken.map(({ item }) => item)} />
        )}
        <br />
        <span class="soft">
          {seen.length} of {items.length} seen, reward {figure(reward)} in all
        </span>
      </Stage>
      <Stage title="Learnt" isDone={learnt}>
        {learnt
          ? 'A later version of the model has learnt from it.'
          : 'No version of the model has learnt from it yet.'}
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
