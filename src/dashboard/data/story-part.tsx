// One recommendation from beginning to end: shown, taken, learnt.

import { useId, useState } from 'preact/hooks'

import { api } from '../api/client.ts'
import { useAsked } from '../api/use-asked.ts'
import { Panel } from '../parts/panel.tsx'
import { Answer, Empty } from '../parts/states.tsx'
import type { ViewProps } from '../views.ts'
import { storyAddress } from './addresses.ts'
import { StoryItems } from './story-items.tsx'
import { StoryTimeline } from './story-timeline.tsx'

export function StoryPart({ params: { id = '' } }: ViewProps) {
  return (
    <Panel title="One recommendation">
      <IdForm key={id} id={id} />
      {id === '' ? (
        <Empty>Paste a recommendation’s id, or choose a slate among the events of a user.</Empty>
      ) : (
        <Story key={`story ${id}`} id={id} />
      )}
    </Panel>
  )
}

function IdForm({ id }: { readonly id: string }) {
  const field = useId()
  const [typed, setTyped] = useState(id)
  return (
    <form
      class="row narrow"
      onSubmit={(event) => {
        event.preventDefault()
        location.hash = storyAddress(typed.trim())
      }}
    >
      <label for={field}>Id</label>
      <input
        id={field}
        class="id"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <button type="submit" disabled={typed.trim() === ''}>
        Show
      </button>
    </form>
  )
}

function Story({ id }: { readonly id: string }) {
  const asked = useAsked((signal) => api.recommendation(id, { signal }), [id], { everyMs: 5000 })
  return (
    <Answer asked={asked} what="the recommendation">
      {(story) => (
        <>
          <StoryTimeline story={story} />
          <StoryItems items={story.items} />
        </>
      )}
    </Answer>
  )
}
