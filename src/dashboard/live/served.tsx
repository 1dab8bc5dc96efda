// Live where real users are served: what they bring, as time goes by.

import { useMemo } from 'preact/hooks'

import { useVersions } from '../api/use-versions.ts'
import { Panel } from '../parts/panel.tsx'
import { Empty } from '../parts/states.tsx'
import { addressOf } from '../route.ts'
import { headlineOfTime } from './headline.ts'
import { Panels } from './panels.tsx'
import { RewardPanel } from './reward-panel.tsx'
import { rewardOverTime } from './reward-series.ts'
import type { LiveFigures } from './use-figures.ts'

/** Always the same, so that nothing is drawn anew for it. */
const none: readonly never[] = []

interface ServedProps {
  readonly live: LiveFigures
  /** Whether there are no items. */
  readonly isEmpty: boolean
}

export function Served({ live: { metrics, now }, isEmpty }: ServedProps) {
  const versions = useVersions().value ?? none
  const reward = useMemo(() => rewardOverTime(metrics.series, metrics.arms), [metrics])
  return (
    <>
      <p class="headline">{headlineOfTime(reward, now)}</p>
      {isEmpty && (
        <p>
          Items come first: <a href={addressOf('data', { part: 'import' })}>import a log</a>, or put
          them in by <a href="/docs">the API</a>, <code>POST /v1/items</code>.
        </p>
      )}
      <div class="grid">
        <RewardPanel {...{ reward, versions }} />
        <Panel title="Cumulative regret">
          <Empty>
            Regret needs a world that knows the best answer, and with real users nobody does. A
            demonstration has one: <code>ren serve --demo</code>.
          </Empty>
        </Panel>
        <Panels {...{ metrics }} />
      </div>
    </>
  )
}
