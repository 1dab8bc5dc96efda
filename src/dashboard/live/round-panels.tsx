// The charts of a demonstration, by round: what a slate earns, and what the best choices would have
// earned beyond it.

import { useMemo } from 'preact/hooks'

import type { Demonstration } from '../../service/index.ts'
import { Chart } from '../parts/chart/chart.tsx'
import type { Line } from '../parts/chart/chart.tsx'
import { Panel } from '../parts/panel.tsx'
import { Empty } from '../parts/states.tsx'
import { bestReward, roundCurves } from './round-curves.ts'
import type { RoundCurves } from './round-curves.ts'

export function RoundPanels({
  demonstration: { arms },
  reward,
}: {
  readonly demonstration: Demonstration
  readonly reward: RoundCurves
}) {
  const regret = useMemo(() => roundCurves(arms, 'regret'), [arms])
  const best = useMemo(() => bestReward(arms), [arms])
  const lines = useMemo(() => [...reward.lines, ...ceiling(reward, best)], [reward, best])
  const seeds = new Set(arms.map(({ seed }) => seed)).size
  const aside = <span class="soft small">mean of {seeds} seeds, band: ± one standard error</span>
  return (
    <>
      <Panel title="Reward by round" class="wide" {...{ aside }}>
        <Curves
          description="Mean reward of a slate by round, one line a policy"
          yLabel="Reward a slate"
          height={320}
          x={reward.x}
          lines={lines}
        />
      </Panel>
      <Panel title="Cumulative regret" aside={<span class="soft small">lower is better</span>}>
        <Curves
          description="What the best choices would have earned beyond what was earned, by round"
          yLabel="Regret so far"
          x={regret.x}
          lines={regret.lines}
        />
      </Panel>
    </>
  )
}

/** The best there is, as a line. */
function ceiling({ x, lines }: RoundCurves, best: number | null): Line[] {
  if (best === null) return []
  return [
    { label: 'The best there is', values: x.map(() => best), dashed: true, colour: lines.length },
  ]
}

function Curves(
  props: RoundCurves & {
    readonly description: string
    readonly yLabel: string
    readonly height?: number
  },
) {
  if (props.x.length === 0) return <Empty>The first rounds are being played.</Empty>
  return <Chart xLabel="Round" {...props} />
}
