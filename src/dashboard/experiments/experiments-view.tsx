// The Experiments view: start, watch, compare and download comparisons of methods in simulated
// worlds.

import { useState } from 'preact/hooks'

import { api } from '../api/client.ts'
import { useJobs } from '../api/jobs.ts'
import { Loaded } from '../parts/panel.tsx'
import { replaceRoute, type ViewProps } from '../route.ts'
import { CurvePanel } from './curve-panel.tsx'
import type { Measure } from './curves.ts'
import { FinalPanel } from './final-panel.tsx'
import { RunForm } from './run-form.tsx'
import { hasFigures, runOf, type Run } from './run.ts'
import { RunList } from './run-list.tsx'
import './experiments.css'

export function ExperimentsView({ params }: ViewProps) {
  const fetched = useJobs(api.runs)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const runs = (fetched.value ?? []).map(runOf)
  const chosen = chosenOf(runs, params['runs'])
  const measure: Measure = params['measure'] === 'regret' ? 'regret' : 'reward'
  const go = (changes: Readonly<Record<string, string>>): void =>
    replaceRoute('experiments', { ...params, ...changes })
  const choose = (ids: readonly string[]): void => go({ runs: ids.join(' ') })
  const seen = chosen.filter(hasFigures)
  return (
    <div class="experiments">
      <div class="experiments-side">
        <RunForm
          jobs={fetched.value ?? []}
          onStart={(job) => {
            fetched.refresh()
            choose([job.id])
          }}
        />
        <Loaded fetched={fetched} what="runs">
          {() => <RunList {...{ runs, chosen, choose }} refresh={fetched.refresh} />}
        </Loaded>
      </div>
      <div class="experiments-main">
        <CurvePanel
          runs={seen}
          waitingFor={chosen.filter((run) => !hasFigures(run))}
          onMeasure={(next) => go({ measure: next })}
          onHidden={setHidden}
          {...{ measure, hidden }}
        />
        <FinalPanel runs={seen} {...{ measure, hidden }} />
      </div>
    </div>
  )
}

/** The runs in the URL; defaults to the newest with results. */
function chosenOf(runs: readonly Run[], ids: string | undefined): readonly Run[] {
  if (ids !== undefined) {
    const wanted = ids.split(' ')
    const found = runs.filter(({ job }) => wanted.includes(job.id))
    if (found.length > 0 || ids === 'none') return found
  }
  return runs.filter(hasFigures).slice(0, 1)
}
