// The list of runs: selection, progress and outcome.

import { useState } from 'preact/hooks'

import type { Job } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { isUnderWay, shareOf } from '../api/jobs.ts'
import { useAction } from '../api/use-fetch.ts'
import { counted, duration, percent } from '../format.ts'
import { Check, named, Select } from '../parts/inputs.tsx'
import { Button, Empty, Panel, ProgressBar, Refused } from '../parts/panel.tsx'
import type { Run } from './run.ts'

interface RunListProps {
  readonly runs: readonly Run[]
  readonly chosen: readonly Run[]
  choose(ids: readonly string[]): void
  refresh(): void
}

export function RunList({ runs, chosen, choose, refresh }: RunListProps) {
  const [world, setWorld] = useState('')
  const { failure, act } = useAction()
  const worlds = [...new Set(runs.map((run) => run.world))]
  const shown = runs.filter((run) => world === '' || run.world === world)
  const ids = chosen.map(({ job }) => job.id)
  const toggle = (id: string): void => {
    const next = ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id]
    choose(next.length > 0 ? next : ['none'])
  }
  const end = (job: Job): Promise<void> =>
    act(isUnderWay(job) ? api.stopRun(job.id) : api.endRun(job.id), refresh)
  const worldFilter = (
    <Select
      aria-label="World"
      value={world}
      options={{ '': 'all worlds', ...named(worlds) }}
      onChange={setWorld}
    />
  )
  return (
    <Panel title="Runs" aside={worlds.length > 1 && worldFilter}>
      {failure && <Refused failure={failure} />}
      {runs.length === 0 && (
        <Empty>No runs yet. Start one above; curves appear within seconds.</Empty>
      )}
      <ul class="runs">
        {shown.map((run) => (
          <RunEntry
            key={run.job.id}
            run={run}
            isChosen={ids.includes(run.job.id)}
            toggle={() => toggle(run.job.id)}
            end={() => end(run.job)}
          />
        ))}
      </ul>
    </Panel>
  )
}

type RunEntryProps = Readonly<{ run: Run; isChosen: boolean; toggle(): void; end(): unknown }>

function RunEntry({ run, isChosen, toggle, end }: RunEntryProps) {
  const { job, title, result } = run
  const isOpen = isUnderWay(job)
  return (
    <li class={isChosen ? 'run chosen' : 'run'} data-state={job.state}>
      <Check label={<strong>{title}</strong>} checked={isChosen} onChange={toggle} />
      <Button class="small" label={isOpen ? 'Stop' : 'Remove'} about={title} onClick={end} />
      <p class="soft">{run.methods.join(', ')}</p>
      {isOpen && <ProgressBar label={`Progress of ${title}`} share={shareOf(job)} />}
      <p class={job.error ? 'error' : 'soft'} title={job.error?.message ?? ''}>
        {describeState(run)}
      </p>
      {result?.failures.slice(0, 1).map(({ run: name, reason }) => (
        <p key={name} class="error" title={reason}>
          {result.failures.length} of {result.runs} failed. {name}: {firstSentence(reason)}
        </p>
      ))}
    </li>
  )
}

type RunState = Pick<Run, 'extent'> & { readonly job: Pick<Job, 'state' | 'error' | 'progress'> }

export function describeState({ job: { state, error, progress }, extent }: RunState): string {
  if (error) return firstSentence(error.message)
  if (state === 'waiting') return 'Waiting'
  if (state === 'running') return describeProgress(progress)
  return `${state === 'canceled' ? 'Stopped' : 'Done'} · ${extent}`
}

function describeProgress({ share, done, total, secondsLeft, current }: Job['progress']): string {
  if (total === undefined) return 'Starting'
  const parts = [
    percent(Math.round(100 * (share ?? 0)) / 100),
    `${done} of ${counted(total, 'run')}`,
    ...(secondsLeft == null ? [] : [`${duration(1000 * secondsLeft)} left`]),
    ...(current === undefined ? [] : [current]),
  ]
  return parts.join(' · ')
}

/** The whole text if it is one sentence. */
export const firstSentence = (text: string): string =>
  text.split(/(?<=[.!?;])\s/)[0]!.replace(/;$/, '.')
