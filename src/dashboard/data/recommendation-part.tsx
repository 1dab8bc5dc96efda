// One recommendation: shown, chosen, trained on.

import { useState } from 'preact/hooks'

import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import { Form } from '../parts/form.tsx'
import { TextBox } from '../parts/inputs.tsx'
import { Panel } from '../parts/panel.tsx'
import { Answer, Empty } from '../parts/states.tsx'
import type { ViewProps } from '../views.ts'
import { recommendationAddress } from '../addresses.ts'
import { RecommendationItems } from './recommendation-items.tsx'
import { RecommendationTimeline } from './recommendation-timeline.tsx'

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
