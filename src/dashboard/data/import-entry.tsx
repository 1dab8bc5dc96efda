// One import: its progress, its result or its error.

import type { Job } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { isUnderWay } from '../api/jobs.ts'
import { useFetch } from '../api/use-fetch.ts'
import { count, counted, timeOfDay } from '../format.ts'
import { ProgressBar } from '../parts/progress-bar.tsx'
import { Answer } from '../parts/states.tsx'

export function ImportEntry({ job }: { readonly job: Job }) {
  const { request, state, created, progress, error } = job
  const name = String(request['name'])
  return (
    <li class="run" data-state={state}>
      <strong>{name}</strong>
      <span class="soft small">{timeOfDay(created)}</span>
      {isUnderWay(job) && (
        <>
          <ProgressBar
            label={`Progress of ${name}`}
            share={state === 'waiting' ? null : progress.share}
          />
          <p class="soft">{progress.message || 'Waiting or reading the file'}</p>
        </>
      )}
      {state === 'done' && <Outcome id={job.id} />}
      {state === 'cancelled' && <p class="soft">Stopped</p>}
      {error && (
        <p class="error">
          {error.message} <code>{error.code}</code>
        </p>
      )}
    </li>
  )
}

/** The result of an import. */
interface ImportResult {
  readonly rows: number
  readonly before: number
  readonly newItems: number
  readonly users: number
  readonly skipped: number
}

function Outcome({ id }: { readonly id: string }) {
  const fetched = useFetch((signal) => api.import(id, signal), [id])
  return (
    <Answer fetched={fetched} what="the result">
      {({ result }) => <p class="good">{outcomeWords(result as ImportResult)}</p>}
    </Answer>
  )
}

function outcomeWords({ rows, before, newItems, users, skipped }: ImportResult): string {
  const facts = [
    `${counted(rows - before, 'event')} of ${counted(users, 'user')}`,
    counted(newItems, 'new item'),
    ...(before > 0 ? [`${count(before)} already imported`] : []),
    ...(skipped > 0 ? [`${count(skipped)} skipped`] : []),
  ]
  return `Done: ${facts.join(', ')}.`
}
