// Live where real users are served: what they bring, as time goes by.

import { useMemo } from 'preact/hooks'

import type { Status } from '../api/contract.ts'
import { useVersions } from '../api/use-versions.ts'
import { addressOf } from '../route.ts'
import { DataPanel } from './data-panel.tsx'
import { headlineOfTime } from './headline.ts'
import { Panels } from './panels.tsx'
import { headlineOfQuality } from './quality-figures.ts'
import { QualityPanel, useQuality } from './quality-panel.tsx'
import { RewardPanel } from './reward-panel.tsx'
import { rewardOverTime } from './reward-series.ts'
import { SamplesPanel } from './samples-panel.tsx'
import { TrainingPanel } from './training-panel.tsx'
import type { LiveFigures } from './use-figures.ts'

/** Always the same, so that nothing is drawn anew for it. */
const none: readonly never[] = []

interface ServedProps {
  readonly live: LiveFigures
  readonly status: Status
  /** Reads the status again. */
  refresh(): void
}

export function Served({ live: { metrics, now }, status, refresh }: ServedProps) {
  const versions = useVersions().value ?? none
  const quality = useQuality()
  const reward = useMemo(() => rewardOverTime(metrics.series, metrics.arms), [metrics])
  const { training = none, problems } = status
  const isEmpty = status.items === 0
  const served = headlineOfTime(reward, now)
  return (
    <>
      {problems.length > 0 && (
        <ul class="problems" role="alert">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <p class="headline">
        {(reward.x.length === 0 && headlineOfQuality(quality.value)) || served}
      </p>
      {isEmpty && (
        <p>
          Items come first: <a href={addressOf('data', { part: 'import' })}>import a log</a>, or put
          them in by <a href="/docs">the API</a>, <code>POST /v1/items</code>.
        </p>
      )}
      <div class="grid">
        {training.length > 0 && <TrainingPanel {...{ training }} onChange={refresh} />}
        {!isEmpty && (
          <>
            <SamplesPanel />
            <QualityPanel asked={quality} />
          </>
        )}
        <RewardPanel {...{ reward, versions }} />
        <DataPanel {...(status.excludeSeen && { excludeSeen: status.excludeSeen })} />
        <Panels {...{ metrics }} />
      </div>
    </>
  )
}
