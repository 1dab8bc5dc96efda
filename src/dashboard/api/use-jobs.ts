// Runs or imports, updated by the stream.

import { useState } from 'preact/hooks'

import type { Job } from '../../service/index.ts'
import { combineJobs, laterJob } from './jobs.ts'
import { useFetch } from './use-fetch.ts'
import type { FetchState } from './use-fetch.ts'
import { useStreamEvents } from './use-stream.ts'

interface KnownJobs {
  /** Newest first. */
  readonly fetched: FetchState<readonly Job[]>
  /** Adds or updates a job from a response. */
  learn(job: Job): void
  /** Removes a job from the list. */
  drop(id: string): void
}

export function useJobs(
  kind: 'run' | 'import',
  question: (signal: AbortSignal) => Promise<{ readonly jobs: readonly Job[] }>,
): KnownJobs {
  const fetched = useFetch(question, [])
  const [received, setReceived] = useState<ReadonlyMap<string, Job>>(new Map())
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set())
  const learn = (job: Job): void =>
    setReceived((before) => new Map(before).set(job.id, laterJob(before.get(job.id), job)))
  useStreamEvents(kind, learn)
  return {
    fetched: {
      ...fetched,
      value: fetched.value && combineJobs(fetched.value.jobs, received, removed),
    },
    learn,
    drop: (id) => setRemoved((before) => new Set(before).add(id)),
  }
}
