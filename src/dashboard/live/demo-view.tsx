// The Live view of the demo.

import { useEffect, useMemo, useState } from 'preact/hooks'

import type { Demo, ServiceMetrics } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useConnection } from '../api/stream.ts'
import { useAction, useFetch, type FetchState } from '../api/use-fetch.ts'
import { count } from '../format.ts'
import { Chart, type ChartProps, type Line } from '../parts/chart/chart.tsx'
import { Button, Empty, Loaded, Panel, ProgressBar, Refused } from '../parts/panel.tsx'
import { headlineOfRounds } from './headline.ts'
import { Panels } from './panels.tsx'
import { bestReward, latestResults, roundCurves, type RoundCurves } from './round-curves.ts'

type DemoViewProps = Readonly<{ metrics: ServiceMetrics }>

export function DemoView(props: DemoViewProps) {
  const fetched = useDemo()
  return (
    <Loaded {...{ fetched }} what="the demo">
      {(demo) => <Rounds {...{ demo, ...props }} onChange={() => fetched.refresh()} />}
    </Loaded>
  )
}

const [runningMs, restingMs] = [1000, 5000]

function useDemo(): FetchState<Demo> {
  const [everyMs, setEveryMs] = useState(runningMs)
  const fetched = useFetch(api.demo, [], { everyMs })
  const isRunning = fetched.value?.state === 'running'
  useEffect(() => setEveryMs(isRunning ? runningMs : restingMs), [isRunning])
  return fetched
}

type RoundsProps = DemoViewProps & Readonly<{ demo: Demo; onChange(): void }>

function Rounds({ demo, metrics, onChange }: RoundsProps) {
  const { variants } = demo
  const reward = useMemo(() => roundCurves(variants, 'reward'), [variants])
  const results = latestResults(reward)
  return (
    <>
      <DemoBar {...{ demo, onChange }} round={results?.round ?? 0} />
      <p class="headline">{headlineOfRounds(results)}</p>
      <p class="soft">{demo.world}</p>
      <div class="grid">
        <RoundPanels {...{ demo, reward }} />
        <Panels {...{ metrics }} entrants={variants} />
      </div>
    </>
  )
}

interface BarProps {
  readonly demo: Demo
  /** The last round with results of all policies. */
  readonly round: number
  onChange(): void
}

function DemoBar({ demo, round, onChange }: BarProps) {
  const { state, rounds } = demo
  const { failure, act } = useAction()
  const connection = useConnection()
  const isRunning = state === 'running'
  const toggle = async (): Promise<void> => {
    await act(api.setDemo(isRunning ? 'paused' : 'running'))
    onChange()
  }
  return (
    <div class="simulated">
      <span class="badge">Simulated users</span>
      <div class="simulated-course">
        <ProgressBar label="Completed rounds" share={rounds > 0 ? round / rounds : null} />
        <span class="soft">
          {state === 'done'
            ? `All ${count(rounds)} rounds completed`
            : `${state === 'paused' ? 'Paused at' : 'Round'} ${count(round)} of ${count(rounds)}`}
        </span>
      </div>
      {state !== 'done' && (
        <Button
          label={isRunning ? 'Pause' : 'Resume'}
          disabled={connection === 'lost'}
          onClick={toggle}
        />
      )}
      {failure && <Refused failure={failure} />}
    </div>
  )
}

function RoundPanels({ demo, reward }: { readonly demo: Demo; readonly reward: RoundCurves }) {
  const { variants } = demo
  const regret = useMemo(() => roundCurves(variants, 'regret'), [variants])
  const best = useMemo(() => bestReward(variants), [variants])
  const lines = useMemo(() => [...reward.lines, ...ceiling(reward, best)], [reward, best])
  const seeds = new Set(variants.map(({ seed }) => seed)).size
  return (
    <>
      <Panel
        title="Reward by round"
        class="wide"
        note={`mean of ${seeds} seeds, band: ± one standard error`}
      >
        <Curves
          description="Mean reward per slate by round, one line per policy"
          yLabel="Reward per slate"
          height={320}
          x={reward.x}
          lines={lines}
        />
      </Panel>
      <Panel title="Cumulative regret" note="lower is better">
        <Curves
          description="Reward of the best slates minus the reward received, by round"
          yLabel="Regret so far"
          {...regret}
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

function Curves(props: Omit<ChartProps, 'xLabel'>) {
  if (props.x.length === 0) return <Empty>Waiting for the first rounds.</Empty>
  return <Chart xLabel="Round" {...props} />
}
