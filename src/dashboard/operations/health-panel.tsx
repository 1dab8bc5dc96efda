// The health and the size of the service.

import type { Status } from '../../service/index.ts'
import { bytes, count, dateAndTime, duration } from '../format.ts'
import { Facts } from '../parts/facts.tsx'
import { Panel } from '../parts/panel.tsx'

export function HealthPanel({ status }: { readonly status: Status }) {
  const { problems, startedAt, store } = status
  const facts = {
    Uptime: `${duration(Math.max(0, Date.now() - startedAt))}, since ${dateAndTime(startedAt)}`,
    Items: count(status.items),
    Users: count(status.users),
    Position: `${count(status.position)}, the last event that recommendations include`,
    Store: `${bytes(store.bytes)} with ${count(store.events)} events`,
    Location: store.location,
    Streams: `${count(status.streams)} open, including this page`,
  }
  return (
    <Panel title="Health" aside={<State {...status} />}>
      {problems.length > 0 && (
        <ul class="problems" role="alert">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <Facts class="vitals" of={facts} />
      <p class="soft small">
        For monitoring: <a href="/metrics">Prometheus metrics</a> (with a key if keys are in use),{' '}
        <a href="/readyz">readiness</a> and <a href="/openapi.json">OpenAPI</a>.
      </p>
    </Panel>
  )
}

function State({ ready, problems }: Pick<Status, 'ready' | 'problems'>) {
  if (!ready) return <strong class="error">Not ready</strong>
  if (problems.length > 0) return <strong class="error">Ready, with problems</strong>
  return <strong class="good">Ready</strong>
}
