// The Live view: the demo, or the reward, training, samples, quality and data of a service with real users.

import { useMemo } from 'preact/hooks'

import type { ModelVersion, Status, TrainingStatus } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useAction, useFetch } from '../api/use-fetch.ts'
import { useVersions } from '../api/versions.ts'
import { duration, figure, percent } from '../format.ts'
import { Chart } from '../parts/chart/chart.tsx'
import { Button, Empty, Facts, Loaded, Panel, ProgressBar, Refused } from '../parts/panel.tsx'
import { addressOf, type ViewProps } from '../route.ts'
import { DataPanel } from './data-panel.tsx'
import { DemoView } from './demo-view.tsx'
import { headlineOfTime } from './headline.ts'
import { Panels } from './panels.tsx'
import { headlineOfQuality, QualityPanel, untrainedGroups } from './quality-panel.tsx'
import { rewardOverTime, versionMarks, type RewardOverTime } from './reward-series.ts'
import { SamplesPanel } from './samples-panel.tsx'
import { tilesOf } from './tiles.ts'
import { useFigures, type LiveFigures } from './use-figures.ts'
import './live.css'

export function LiveView(_props: ViewProps) {
  const fetched = useFetch(api.status, [], { everyMs: 5000 })
  const figures = useFigures()
  return (
    <>
      <h1 class="unseen">Live</h1>
      <Loaded {...{ fetched }} what="the status">
        {(status) => (
          <>
            <Facts class="tiles" of={tilesOf(status, figures.value)} />
            <Loaded fetched={figures} what="the metrics">
              {(live) =>
                status.demo ? (
                  <DemoView metrics={live.metrics} />
                ) : (
                  <Served {...{ status, live }} refresh={fetched.refresh} />
                )
              }
            </Loaded>
          </>
        )}
      </Loaded>
    </>
  )
}

/** A constant reference, which avoids rendering again. */
const none: readonly never[] = []

interface ServedProps {
  readonly live: LiveFigures
  readonly status: Status
  /** Fetches the status again. */
  refresh(): void
}

/** The view of a service with real users. */
function Served({ live: { metrics, now }, status, refresh }: ServedProps) {
  const versions = useVersions().value ?? none
  const quality = useFetch(api.quality, [], { everyMs: 10_000 })
  const reward = useMemo(() => rewardOverTime(metrics.series, metrics.variants), [metrics])
  const { training, problems } = status
  const isEmpty = status.items === 0
  // The reward comes first once there is any.
  const isServing = reward.x.length > 0
  const rewards = <RewardPanel {...{ reward, versions }} />
  return (
    <>
      <Problems {...{ problems }} />
      <p class="headline">
        {headlineOfTime(reward, now) ??
          headlineOfQuality(quality.value?.groups ?? none) ??
          (isServing ? 'Too few slates to report a reward yet.' : 'No slates served yet.')}
      </p>
      {isEmpty && (
        <p>
          Add items first: <a href={addressOf('data', { part: 'import' })}>import a log</a>, or use{' '}
          <code>POST /v1/items</code> of <a href="/docs">the API</a>.
        </p>
      )}
      <div class="grid">
        {isServing && rewards}
        {training.length > 0 && <TrainingPanel {...{ training }} onChange={refresh} />}
        {!isEmpty && (
          <>
            <SamplesPanel hasUsers={status.users > 0} />
            <QualityPanel fetched={quality} untrained={untrainedGroups(versions)} />
          </>
        )}
        {!isServing && rewards}
        <DataPanel excludeSeen={status.excludeSeen} />
        <Panels {...{ metrics }} />
      </div>
    </>
  )
}

/** Problems of the service, such as a store that cannot be written. */
function Problems({ problems }: Pick<Status, 'problems'>) {
  if (problems.length === 0) return null
  return (
    <div class="faults" role="alert">
      {problems.map((problem) => (
        <p key={problem}>{problem}</p>
      ))}
    </div>
  )
}

type RewardProps = Readonly<{ reward: RewardOverTime; versions: readonly ModelVersion[] }>

function RewardPanel({ reward: { x, lines }, versions }: RewardProps) {
  const marks = useMemo(() => versionMarks(versions, x), [versions, x])
  return (
    <Panel
      title="Reward over time"
      class="wide"
      note="rolling mean of one minute, band: 95% interval"
    >
      {x.length === 0 ? (
        <Empty>
          The line begins with the first slate. Request slates with{' '}
          <code>POST /v1/recommendations</code> and report feedback with{' '}
          <code>POST /v1/events</code>.
        </Empty>
      ) : (
        <Chart
          description="Mean reward per slate over time, one line per policy"
          xLabel="Time"
          yLabel="Reward per slate"
          time
          height={320}
          {...{ x, lines, marks }}
        />
      )}
    </Panel>
  )
}

type TrainingPanelProps = Readonly<{ training: readonly TrainingStatus[]; onChange(): void }>

const isUnderWay = ({ state }: TrainingStatus): boolean =>
  state === 'waiting' || state === 'running'

function TrainingPanel({ training, onChange }: TrainingPanelProps) {
  const { isBusy, failure, act } = useAction()
  const isAny = training.some(isUnderWay)
  return (
    <Panel
      title="Training"
      class="wide"
      aside={
        isAny && (
          <Button
            class="small"
            label="Cancel training"
            disabled={isBusy}
            onClick={() => act(api.cancelTraining(), onChange)}
          />
        )
      }
    >
      {failure && <Refused failure={failure} />}
      <ul class="runs">
        {training.map((run) => (
          <li class="run" key={run.group} data-state={run.state}>
            <strong>{run.group}</strong>
            <span class="soft small">{run.state}</span>
            {isUnderWay(run) && (
              <ProgressBar
                label={`Training of ${run.group}`}
                share={run.state === 'waiting' ? null : run.share}
              />
            )}
            <p class={run.state === 'failed' ? 'error' : 'soft'}>{describeRun(run)}</p>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

export function describeRun(run: TrainingStatus): string {
  const { state, epoch, epochs, share, secondsLeft, loss, validation, message } = run
  const isRunning = state === 'running'
  const facts = [
    ...(epochs > 0 ? [`epoch ${epoch} of ${epochs}`] : []),
    ...(isRunning ? [percent(Math.round(100 * share) / 100)] : []),
    ...(isRunning && secondsLeft !== null ? [`${duration(1000 * secondsLeft)} left`] : []),
    ...(loss === null ? [] : [`loss ${figure(loss)}`]),
    ...(validation ? [`HR@10 of held-out users ${percent(validation.hr10)}`] : []),
    ...(message === undefined ? [] : [message]),
  ]
  return facts.join(', ')
}
