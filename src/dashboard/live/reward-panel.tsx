// The main chart for real users: reward per slate over time, by policy.

import { useMemo } from 'preact/hooks'

import type { ModelVersion } from '../../service/index.ts'
import { Chart } from '../parts/chart/chart.tsx'
import { Panel } from '../parts/panel.tsx'
import { Empty } from '../parts/states.tsx'
import type { RewardOverTime } from './reward-series.ts'
import { versionMarks } from './version-marks.ts'

interface RewardProps {
  readonly reward: RewardOverTime
  readonly versions: readonly ModelVersion[]
}

export function RewardPanel({ reward: { x, lines }, versions }: RewardProps) {
  const marks = useMemo(() => versionMarks(versions, x), [versions, x])
  return (
    <Panel
      title="Reward over time"
      class="wide"
      aside={<span class="soft small">rolling mean of one minute, band: 95 % interval</span>}
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
