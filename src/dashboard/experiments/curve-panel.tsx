// The curves of the chosen runs, with filters and a download.

import { useMemo } from 'preact/hooks'

import { isUnderWay } from '../api/jobs.ts'
import { Chart } from '../parts/chart/chart.tsx'
import { Checks, named, Radios } from '../parts/inputs.tsx'
import { Button, Empty, Panel } from '../parts/panel.tsx'
import {
  csvOf,
  curvesOf,
  linesOf,
  measures,
  methodsIn,
  type Curve,
  type Measure,
} from './curves.ts'
import type { Run } from './run.ts'

export interface CurvePanelProps {
  /** Races with results. */
  readonly runs: readonly Run[]
  readonly waitingFor: readonly Run[]
  readonly measure: Measure
  readonly hidden: ReadonlySet<string>
  onMeasure(measure: Measure): void
  onHidden(hidden: ReadonlySet<string>): void
}

export function CurvePanel(props: CurvePanelProps) {
  const { runs, waitingFor, measure, hidden, onMeasure } = props
  const curves = curvesOf(runs, measure, hidden)
  return (
    <Panel
      title={`${measures[measure].title} by step`}
      aside={
        <Radios
          label="Measure"
          value={measure}
          options={{ reward: measures.reward.title, regret: measures.regret.title }}
          onChange={onMeasure}
        />
      }
    >
      {runs.length === 0 ? (
        <Empty>{emptyText(waitingFor)}</Empty>
      ) : (
        <>
          <MethodFilter {...props} />
          <Curves {...{ curves, measure }} />
          <CsvDownload {...{ curves, measure }} />
        </>
      )}
    </Panel>
  )
}

function emptyText([run]: readonly Run[]): string {
  if (!run) return 'Select or start a run to see its curves.'
  if (isUnderWay(run.job)) return 'Curves appear when the first seed of a method is done.'
  const { job, result } = run
  const reason = job.error?.message ?? result?.failures[0]?.reason
  return `This run has no results${reason === undefined ? '.' : `: ${reason}`}`
}

function Curves({ curves, measure }: { readonly curves: readonly Curve[]; measure: Measure }) {
  // Rendered again only if values have changed.
  const drawn = JSON.stringify(curves.map(({ label, at, means }) => [label, at, means]))
  const { x, lines } = useMemo(() => linesOf(curves), [drawn])
  if (curves.length === 0) return <Empty>All methods are hidden.</Empty>
  const { title, axis } = measures[measure]
  return (
    <>
      <Chart
        description={`${title} over the steps of a run, means over seeds`}
        xLabel="step"
        yLabel={axis}
        height={360}
        {...{ x, lines }}
      />
      <p class="soft small">Lines are means over seeds; bands are ± one standard error.</p>
    </>
  )
}

function MethodFilter({ runs, hidden, onHidden }: CurvePanelProps) {
  const methods = methodsIn(runs)
  if (methods.length < 2) return null
  return (
    <div class="choices" role="group" aria-label="Visible methods">
      <Checks
        options={named(methods)}
        chosen={methods.filter((method) => !hidden.has(method))}
        onChange={(shown) => onHidden(hidden.union(new Set(methods)).difference(new Set(shown)))}
      />
    </div>
  )
}

const CsvDownload = ({
  curves,
  measure,
}: Readonly<{ curves: readonly Curve[]; measure: Measure }>) => (
  <Button
    class="small"
    label="Download CSV"
    disabled={curves.length === 0}
    onClick={() => saveFile(`${worldsOf(curves).join('-')}-${measure}.csv`, csvOf(curves, measure))}
  />
)

const worldsOf = (curves: readonly Curve[]): string[] => [
  ...new Set(curves.map(({ run }) => run.world)),
]

function saveFile(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'text/csv' }))
  const link = document.createElement('a')
  Object.assign(link, { href: url, download: name })
  link.click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
