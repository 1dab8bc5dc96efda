// One recommendation from beginning to end: shown, taken, learnt.

import { useState } from 'preact/hooks'

import { api } from '../api/client.ts'
import { useAsked } from '../api/use-asked.ts'
import { Form } from '../parts/form.tsx'
import { TextBox } from '../parts/inputs.tsx'
import { Panel } from '../parts/panel.tsx'
import { Answer, Empty } from '../parts/states.tsx'
import type { ViewProps } from '../views.ts'
import { storyAddress } from '../addresses.ts'
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
  const [typed, setTyped] = useState(id)
  return (
    <Form
      class="row narrow"
      onSubmit={() => {
        location.hash = storyAddress(typed.trim())
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

function Story({ id }: { readonly id: string }) {
  const asked = useAsked((signal) => api.recommendation(id, signal), [id], { everyMs: 5000 })
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
