// Runs or imports as they go.

import { useState } from 'preact/hooks'

import type { Job } from '../../service/index.ts'
import { combineJobs, laterJob } from './jobs.ts'
import { useAsked } from './use-asked.ts'
import type { Asked } from './use-asked.ts'
import { useStreamEvents } from './use-stream.ts'

interface KnownJobs {
  /** The newest first. */
  readonly asked: Asked<readonly Job[]>
  /** A job that the service has answered with. */
  learn(job: Job): void
  /** A job that the service has taken off its list. */
  drop(id: string): void
}

export function useJobs(
  kind: 'run' | 'import',
  question: (signal: AbortSignal) => Promise<{ readonly jobs: readonly Job[] }>,
): KnownJobs {
  const asked = useAsked(question, [])
  const [heard, setHeard] = useState<ReadonlyMap<string, Job>>(new Map())
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set())
  const learn = (job: Job): void =>
    setHeard((before) => new Map(before).set(job.id, laterJob(before.get(job.id), job)))
  useStreamEvents(kind, learn)
  return {
    asked: { ...asked, value: asked.value && combineJobs(asked.value.jobs, heard, removed) },
    learn,
    drop: (id) => setRemoved((before) => new Set(before).add(id)),
  }
}
