// Runs and imports: lists from the service, updated by the stream.

import { useState } from 'preact/hooks'

import type { Job } from '../../service/index.ts'
import { useStreamEvents } from './stream.ts'
import { useFetch } from './use-fetch.ts'

export const isUnderWay = ({ ended }: Job): boolean => ended === null

/** Null until the service works on it. */
export const shareOf = ({ state, progress }: Job): number | null =>
  state === 'waiting' ? null : progress.share

/** The later state of a job. Updates without `data` retain the earlier data. */
export function laterJob(first: Job | undefined, second: Job): Job {
  if (!first) return second
  const [older, newer] =
    stageOf(second) >= stageOf(first) ? [first, second] : ([second, first] as const)
  const data = newer.progress.data ?? older.progress.data
  if (data === undefined) return newer
  return { ...newer, progress: { ...newer.progress, data } }
}

/** Newest first. A response can be older than the updates from the stream. */
export function combineJobs(
  listed: readonly Job[],
  received: ReadonlyMap<string, Job>,
  removed: ReadonlySet<string>,
): readonly Job[] {
  const all = new Map(listed.map((job) => [job.id, job]))
  for (const job of received.values()) all.set(job.id, laterJob(all.get(job.id), job))
  return [...all.values()]
    .filter(({ id }) => !removed.has(id))
    .toSorted((a, b) => b.created - a.created)
}

/** Increases as a job progresses. */
const stageOf = (job: Job): number => (isUnderWay(job) ? (job.progress.share ?? 0) : 2)

export function useJobs(
  kind: 'run' | 'import',
  request: (signal: AbortSignal) => Promise<{ readonly jobs: readonly Job[] }>,
) {
  const fetched = useFetch(request, [])
  const [received, setReceived] = useState<ReadonlyMap<string, Job>>(new Map())
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set())
  /** Adds or updates a job from a response. */
  const update = (job: Job): void =>
    setReceived((before) => new Map(before).set(job.id, laterJob(before.get(job.id), job)))
  useStreamEvents(kind, update)
  /** Removes a job from the list. */
  const drop = (id: string): void => setRemoved((before) => new Set(before).add(id))
  const value = fetched.value && combineJobs(fetched.value.jobs, received, removed)
  return { fetched: { ...fetched, value }, update, drop }
}
