// The charts of the demo by round: reward per slate, and
// regret.

import { useMemo } from 'preact/hooks'

import type { Demo } from '../../service/index.ts'
import { Chart } from '../parts/chart/chart.tsx'
import type { Line } from '../parts/chart/chart.tsx'
import { Panel } from '../parts/panel.tsx'
import { Empty } from '../parts/states.tsx'
import { bestReward, roundCurves } from './round-curves.ts'
import type { RoundCurves } from './round-curves.ts'

export function RoundPanels({
  demo: { variants },
  reward,
}: {
  readonly demo: Demo
  readonly reward: RoundCurves
}) {
  const regret = useMemo(() => roundCurves(variants, 'regret'), [variants])
  const best = useMemo(() => bestReward(variants), [variants])
  const lines = useMemo(() => [...reward.lines, ...ceiling(reward, best)], [reward, best])
  const seeds = new Set(variants.map(({ seed }) => seed)).size
  const aside = <span class="soft small">mean of {seeds} seeds, band: ± one standard error</span>
  return (
    <>
      <Panel title="Reward by round" class="wide" {...{ aside }}>
        <Curves
          description="Mean reward per slate by round, one line per policy"
          yLabel="Reward per slate"
          height={320}
          x={reward.x}
          lines={lines}
        />
      </Panel>
      <Panel title="Cumulative regret" aside={<span class="soft small">lower is better</span>}>
        <Curves
          description="Reward of the best slates minus the reward received, by round"
          yLabel="Regret so far"
          x={regret.x}
          lines={regret.lines}
        />
      </Panel>
    </>
  )
}

/** The best possible reward, as a line. */
function ceiling({ x, lines }: RoundCurves, best: number | null): Line[] {
  if (best === null) return []
  return [{ label: 'Optimum', values: x.map(() => best), dashed: true, color: lines.length }]
}

function Curves(
  props: RoundCurves & {
    readonly description: string
    readonly yLabel: string
    readonly height?: number
  },
) {
  if (props.x.length === 0) return <Empty>Waiting for the first rounds.</Empty>
  return <Chart xLabel="Round" {...props} />
}
