// The list of runs: selection, progress and outcome.

import { useState } from 'preact/hooks'

import type { Job } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { isUnderWay, shareOf } from '../api/jobs.ts'
import { useAction } from '../api/use-fetch.ts'
import { counted, duration, percent } from '../format.ts'
import { Check, named, Select } from '../parts/inputs.tsx'
import { Button, Empty, Panel, ProgressBar, Refused } from '../parts/panel.tsx'
import type { Race } from './race.ts'

interface RunListProps {
  readonly races: readonly Race[]
  readonly chosen: readonly Race[]
  choose(ids: readonly string[]): void
  update(job: Job): void
  drop(id: string): void
}

export function RunList({ races, chosen, choose, update, drop }: RunListProps) {
  const [world, setWorld] = useState('')
  const { failure, act } = useAction()
  const worlds = [...new Set(races.map((race) => race.world))]
  const shown = races.filter((race) => world === '' || race.world === world)
  const ids = chosen.map(({ job }) => job.id)
  const toggle = (id: string): void => {
    const next = ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id]
    choose(next.length > 0 ? next : ['none'])
  }
  const end = (job: Job): Promise<void> =>
    isUnderWay(job) ? act(api.stopRun(job.id), update) : act(api.endRun(job.id), () => drop(job.id))
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
      {races.length === 0 && (
        <Empty>No runs yet. Start one above; curves appear within seconds.</Empty>
      )}
      <ul class="runs">
        {shown.map((race) => (
          <RunEntry
            key={race.job.id}
            race={race}
            isChosen={ids.includes(race.job.id)}
            toggle={() => toggle(race.job.id)}
            end={() => end(race.job)}
          />
        ))}
      </ul>
    </Panel>
  )
}

type RunEntryProps = Readonly<{ race: Race; isChosen: boolean; toggle(): void; end(): unknown }>

function RunEntry({ race, isChosen, toggle, end }: RunEntryProps) {
  const { job, title, result } = race
  const isOpen = isUnderWay(job)
  return (
    <li class={isChosen ? 'run chosen' : 'run'} data-state={job.state}>
      <Check label={<strong>{title}</strong>} checked={isChosen} onChange={toggle} />
      <Button class="small" label={isOpen ? 'Stop' : 'Remove'} about={title} onClick={end} />
      <p class="soft">{race.methods.join(', ')}</p>
      {isOpen && <ProgressBar label={`Progress of ${title}`} share={shareOf(job)} />}
      <p class={job.error ? 'error' : 'soft'} title={job.error?.message ?? ''}>
        {describeState(race)}
      </p>
      {result?.failures.slice(0, 1).map(({ run, reason }) => (
        <p key={run} class="error" title={reason}>
          {result.failures.length} of {result.runs} failed. {run}: {firstSentence(reason)}
        </p>
      ))}
    </li>
  )
}

type RaceState = Pick<Race, 'extent'> & { readonly job: Pick<Job, 'state' | 'error' | 'progress'> }

export function describeState({ job: { state, error, progress }, extent }: RaceState): string {
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
