// The Live view of a service with real users.

import { useMemo } from 'preact/hooks'

import type { Status } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import { useVersions } from '../api/use-versions.ts'
import { addressOf } from '../route.ts'
import { DataPanel } from './data-panel.tsx'
import { headlineOfTime } from './headline.ts'
import { Panels } from './panels.tsx'
import { headlineOfQuality } from './quality-figures.ts'
import { QualityPanel } from './quality-panel.tsx'
import { RewardPanel } from './reward-panel.tsx'
import { rewardOverTime } from './reward-series.ts'
import { SamplesPanel } from './samples-panel.tsx'
import { TrainingPanel } from './training-panel.tsx'
import type { LiveFigures } from './use-figures.ts'

/** A constant reference, which avoids rendering again. */
const none: readonly never[] = []

interface ServedProps {
  readonly live: LiveFigures
  readonly status: Status
  /** Fetches the status again. */
  refresh(): void
}

export function Served({ live: { metrics, now }, status, refresh }: ServedProps) {
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
      {problems.length > 0 && (
        <div class="faults" role="alert">
          {problems.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </div>
      )}
      <p class="headline">
        {(!isServing && headlineOfQuality(quality.value?.groups ?? none)) ||
          headlineOfTime(reward, now)}
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
            <QualityPanel fetched={quality} />
          </>
        )}
        {!isServing && rewards}
        <DataPanel excludeSeen={status.excludeSeen} />
        <Panels {...{ metrics }} />
      </div>
    </>
  )
}
