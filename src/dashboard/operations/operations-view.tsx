// The Operations view: health, latency, keys and models.

import type { Status } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import type { ViewProps } from '../route.ts'
import { bytes, count, dateAndTime, duration, figure } from '../format.ts'
import { Answer, Empty, Facts, Panel } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'
import { KeysPanel } from './keys-panel.tsx'
import { VersionsPanel } from './versions-panel.tsx'
import './operations.css'

export function OperationsView(_props: ViewProps) {
  const fetched = useFetch(api.status, [], { everyMs: 2000 })
  return (
    <>
      <h1>Operations</h1>
      <div class="grid">
        <Answer {...{ fetched }} what="the status">
          {(status) => (
            <>
              <HealthPanel {...{ status }} />
              <LatencyPanel {...status} />
            </>
          )}
        </Answer>
        <VersionsPanel />
        <KeysPanel />
      </div>
    </>
  )
}

function HealthPanel({ status }: { readonly status: Status }) {
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

const columns = ['Route', '#Requests', '#p50', '#p95', '#p99', '#Maximum']

function LatencyPanel({ latencies }: Pick<Status, 'latencies'>) {
  const busiest = latencies.toSorted((a, b) => b.requests - a.requests)
  return (
    <Panel
      title="Latency by route"
      aside={<span class="soft small">milliseconds, since the start</span>}
    >
      {busiest.length === 0 ? (
        <Empty>No requests yet.</Empty>
      ) : (
        <div class="latencies">
          <Table
            label="Latency in milliseconds"
            {...{ columns }}
            rows={busiest.map(({ route, requests, p50, p95, p99, max }) => ({
              key: route,
              cells: [
                <code>{route}</code>,
                count(requests),
                ...[p50, p95, p99, max].map((ms) => figure(ms)),
              ],
            }))}
          />
        </div>
      )}
    </Panel>
  )
}
