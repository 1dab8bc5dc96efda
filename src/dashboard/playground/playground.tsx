// The playground: compares methods in a simulated world, in the browser, without a server.

import { render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import { mean } from '../../core/statistics.ts'
import { count, fixed, percent } from '../format.ts'
import { methodColors } from '../palette.ts'
import { roundCurves } from '../live/round-curves.ts'
import { Chart } from '../parts/chart/chart.tsx'
import { Radios, ThemeSwitch } from '../parts/inputs.tsx'
import { Button, Empty, Panel, ProgressBar } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'
import { first, methods } from './choices.ts'
import type { FromWorker, ComparisonSetup, SeedResult, ToWorker } from './comparison.ts'
import { SetupForm } from './setup-form.tsx'
import '../theme.css'
import '../parts.css'
import './playground.css'

function Playground() {
  const comparison = useComparison()
  useEffect(() => comparison.start(first), [])
  return (
    <>
      <header class="bar">
        <a class="brand" href="/">
          <span class="mark" aria-hidden="true" /> REN
        </a>
        <nav aria-label="Views">
          <a href="/">Dashboard</a>
          <a href="/playground" aria-current="page">
            Playground
          </a>
        </nav>
        <ThemeSwitch />
      </header>
      <main>
        <h1>Playground</h1>
        <p class="soft">
          Simulated users like three of eight dimensions, items have two of them, and the reward is
          what they share. Worlds, models and kernels run in this page, without a server.
        </p>
        <div class="grid">
          <Panel title="Comparison" class="wide">
            <ComparisonStatus {...comparison} />
            <Curves progress={comparison.progress} />
          </Panel>
          <Panel title="Results" class="wide">
            <Results progress={comparison.progress} />
          </Panel>
          <Panel title="New comparison" class="wide">
            <SetupForm initial={first} onStart={comparison.start} />
          </Panel>
        </div>
      </main>
    </>
  )
}

function ComparisonStatus(comparison: ReturnType<typeof useComparison>) {
  const { setup, progress, failure, isPaused, pause, resume } = comparison
  if (failure !== null) {
    return (
      <p role="alert" class="error">
        {failure}
      </p>
    )
  }
  if (!progress || !setup) return <Empty>Compiling the kernels …</Empty>
  const { played, isOver, stepsPerSecond, kernel } = progress
  return (
    <div class="row">
      <Button
        label={isPaused ? 'Resume' : 'Pause'}
        disabled={isOver}
        onClick={isPaused ? resume : pause}
      />
      <span data-played={played}>
        Round {count(played)} of {count(setup.rounds)}, {count(setup.seeds)} seeds
      </span>
      <span class="soft">
        <output data-speed>{count(stepsPerSecond)}</output> steps/s on {kernel} (a step is a round
        of one method, learning included)
      </span>
      <ProgressBar label="Progress" share={played / setup.rounds} />
    </div>
  )
}

const axes = {
  reward: 'reward per round, mean of the last 60',
  regret: 'regret since the first round',
} as const
type Measure = keyof typeof axes

function Curves({ progress }: { readonly progress: Progress | null }) {
  const [measure, setMeasure] = useState<Measure>('reward')
  if (!progress?.results[0]?.at.length) return <Empty>Waiting for the first rounds.</Empty>
  return (
    <>
      <Radios
        label="Measure"
        value={measure}
        options={{ reward: 'reward', regret: 'regret' }}
        onChange={(next) => setMeasure(next)}
      />
      <Chart
        description={`${axes[measure]}, by round`}
        {...curvesOf(progress.results, measure)}
        xLabel="round"
        yLabel={axes[measure]}
        height={340}
      />
      <p class="soft">Bands are one standard error of the mean over seeds.</p>
    </>
  )
}

function curvesOf(results: readonly SeedResult[], measure: Measure) {
  const { x, lines } = roundCurves(results, measure)
  const colors = methodColors(lines.map(({ label }) => label))
  const titled = lines.map((line, i) => {
    return { ...line, label: methods[line.label] ?? line.label, color: colors[i]! }
  })
  return { x, lines: titled }
}

function Results({ progress }: { readonly progress: Progress | null }) {
  if (!progress) return <Empty>No rounds yet.</Empty>
  return (
    <Table
      label="Results"
      rows={[...Map.groupBy(progress.results, ({ policy }) => policy)]}
      rowKey={([method]) => method}
      columns={{
        Method: ([method]) => methods[method] ?? method,
        '#Reward now': ([, seeds]) => fixed(lastMean(seeds, 'reward')),
        '#Regret': ([, seeds]) => fixed(lastMean(seeds, 'regret'), 1),
        '#Items tried': ([, seeds]) => percent(mean(seeds.map(({ coverage }) => coverage))),
      }}
    />
  )
}

const lastMean = (seeds: readonly SeedResult[], measure: Measure): number | null =>
  seeds[0]!.at.length === 0 ? null : mean(seeds.map((seed) => seed[measure].at(-1)!))

type Progress = Extract<FromWorker, { kind: 'progress' }>

function useComparison() {
  const worker = useRef<Worker | null>(null)
  const [setup, setSetup] = useState<ComparisonSetup | null>(null)
  const [progress, setProgress] = useState<Progress | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  /** As confirmed by the worker. */
  const [isPaused, setPaused] = useState(false)
  const send = (message: ToWorker): void => worker.current?.postMessage(message)
  useEffect(() => () => worker.current?.terminate(), [])

  const start = (next: ComparisonSetup): void => {
    worker.current?.terminate()
    const started = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    started.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === 'failed') setFailure(data.message)
      else if (data.kind === 'paused') setPaused(true)
      else setProgress(data)
    })
    // A script that fails to load is an error without a message.
    started.addEventListener('error', ({ message }) =>
      setFailure(message || 'The worker could not be started.'),
    )
    worker.current = started
    setSetup(next)
    setProgress(null)
    setFailure(null)
    setPaused(false)
    send({ kind: 'start', setup: next })
  }
  const pause = (): void => send({ kind: 'pause' })
  const resume = (): void => {
    setPaused(false)
    send({ kind: 'resume' })
  }
  return { setup, progress, failure, isPaused, start, pause, resume }
}

render(<Playground />, document.querySelector('#page')!)
