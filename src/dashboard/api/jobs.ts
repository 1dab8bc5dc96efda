// Merges lists of runs and imports with updates from the stream.

import type { Job } from '../../service/index.ts'

export const isUnderWay = ({ ended }: Job): boolean => ended === null

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
