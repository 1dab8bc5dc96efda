// The Operations view: health, latency, models and keys.

import { useState } from 'preact/hooks'

import type { ModelVersion, Status, TrainOutcome } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useAction, useFetch } from '../api/use-fetch.ts'
import { isServing, useVersions } from '../api/versions.ts'
import type { ViewProps } from '../route.ts'
import { bytes, count, dateAndTime, duration, figure } from '../format.ts'
import { ConfirmButton } from '../parts/inputs.tsx'
import { describeOutcome, TrainingNow, VersionsTable } from '../parts/models.tsx'
import { Button, Facts, Loaded, Panel, Refused } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'
import { KeysPanel } from './keys-panel.tsx'
import './operations.css'

export function OperationsView(_props: ViewProps) {
  const fetched = useFetch(api.status, [], { everyMs: 2000 })
  return (
    <>
      <h1>Operations</h1>
      <div class="grid">
        <Loaded {...{ fetched }} what="the status">
          {(status) => (
            <>
              <HealthPanel {...{ status }} />
              <LatencyPanel {...status} />
              <ServicesPanel {...status} />
            </>
          )}
        </Loaded>
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

const LatencyPanel = ({ latencies }: Pick<Status, 'latencies'>) => (
  <Panel title="Latency by route" note="milliseconds, since the start">
    <div class="latencies">
      <Table
        label="Latency in milliseconds"
        rows={latencies.toSorted((a, b) => b.requests - a.requests)}
        empty="No requests yet."
        rowKey={({ route }) => route}
        columns={{
          Route: ({ route }) => <code>{route}</code>,
          '#Requests': ({ requests }) => count(requests),
          '#p50': ({ p50 }) => figure(p50),
          '#p95': ({ p95 }) => figure(p95),
          '#p99': ({ p99 }) => figure(p99),
          '#Maximum': ({ max }) => figure(max),
        }}
      />
    </div>
  </Panel>
)

/** The services that share the store; nothing for a store of one service. */
function ServicesPanel({ services, role }: Pick<Status, 'services' | 'role'>) {
  if (services.length === 0) return null
  return (
    <Panel title="Services" class="wide" note={`this page is from a ${role}`}>
      <Table
        label="Services that share the store"
        rows={services}
        rowKey={({ name, joined }) => `${name} ${joined}`}
        columns={{
          Service: ({ name }) => name,
          Role: ({ role: own }) => (own === 'learner' ? <strong>learner</strong> : own),
          '#Position': ({ position }) => count(position),
          Lag: ({ lagMs }) => describeLag(lagMs),
          Models: ({ versions }) =>
            versions.map(({ group, version }) => `${group} v${version}`).join(', '),
          'Last seen': ({ silentMs }) => (silentMs < seenMs ? 'now' : `${duration(silentMs)} ago`),
          Since: ({ joined }) => dateAndTime(joined),
        }}
      />
    </Panel>
  )
}

/** A follower looks for new events at least every 250 ms, so less than a second is none. */
function describeLag(lagMs: number | null): string {
  if (lagMs === null) return 'starting'
  return lagMs < 1000 ? 'none' : duration(lagMs)
}

/** A running service announces itself every second. */
const seenMs = 3000

/** Trains now, and rolls back to an earlier version. */
function VersionsPanel() {
  const versions = useVersions()
  return (
    <Panel title="Models" class="wide">
      <TrainNow onTrained={versions.refresh} />
      <Loaded fetched={versions} what="versions">
        {(all) => (
          <VersionsTable
            label="Model versions, newest first"
            versions={all}
            action={(version) =>
              isServing(version, all) ? (
                <span class="good">served</span>
              ) : (
                <RollBack {...{ version }} onDone={versions.refresh} />
              )
            }
          />
        )}
      </Loaded>
    </Panel>
  )
}

function TrainNow({ onTrained }: { onTrained(): void }) {
  const [outcomes, setOutcomes] = useState<readonly TrainOutcome[]>([])
  const { isBusy, failure, act } = useAction()
  const train = async (): Promise<void> => {
    await act(api.train(), (response) => setOutcomes(response.outcomes))
    onTrained()
  }
  return (
    <>
      <div class="row train">
        <Button
          class="primary"
          label={isBusy ? 'Training …' : 'Train now'}
          disabled={isBusy}
          onClick={train}
        />
        <div role="status">
          {outcomes.map((outcome) => (
            <div key={outcome.group}>{describeOutcome(outcome)}</div>
          ))}
        </div>
      </div>
      {outcomes.length === 0 && <TrainingNow />}
      {failure && <Refused failure={failure} />}
    </>
  )
}

function RollBack({ version: of, onDone }: { readonly version: ModelVersion; onDone(): void }) {
  const { group, version, available } = of
  if (!available) return <span class="soft">weights deleted</span>
  return (
    <ConfirmButton
      label="Roll back"
      about={`to ${group} v${version}`}
      question={`Roll back to ${group} v${version}?`}
      onConfirm={() => api.rollBack(version, group).then(onDone)}
    >
      Its weights are served from now on, as a new version. Recorded events stay, and training
      continues from there.
    </ConfirmButton>
  )
}
