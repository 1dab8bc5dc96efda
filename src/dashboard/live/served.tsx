// Live where real users are served: what they bring, as time goes by.

import { useMemo } from 'preact/hooks'

import { useVersions } from '../api/use-versions.ts'
import { Panel } from '../parts/panel.tsx'
import { Empty } from '../parts/states.tsx'
import type { AroundProps } from './demonstrated.tsx'
import { headlineOfTime } from './headline.ts'
import { RewardPanel } from './reward-panel.tsx'
import { rewardOverTime } from './reward-series.ts'
import type { LiveFigures } from './use-figures.ts'

/** Always the same, so that nothing is drawn anew for it. */
const none: readonly never[] = []

interface ServedProps extends AroundProps {
  readonly live: LiveFigures
}

export function Served({ live: { metrics, now }, tiles, children }: ServedProps) {
  const versions = useVersions().value ?? none
  const reward = useMemo(() => rewardOverTime(metrics.series, metrics.arms), [metrics])
  return (
    <>
      <p class="headline">{headlineOfTime(reward, now)}</p>
      {tiles}
      <div class="grid">
        <RewardPanel {...{ reward, versions }} />
        <Panel title="Cumulative regret">
          <Empty>
            Regret needs a world that knows the best answer, and with real users nobody does. A
            demonstration has one: <code>ren serve --demo</code>.
          </Empty>
        </Panel>
        {children}
      </div>
    </>
  )
}
