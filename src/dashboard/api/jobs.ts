// Lists of runs and imports, put together from what the service lists and what its stream tells.

import type { Job } from '../../service/index.ts'

export const isUnderWay = ({ ended }: Job): boolean => ended === null

/** The later word on a job. What it has to show is told less often, and stays until it is told anew. */
export function laterJob(first: Job | undefined, second: Job): Job {
  if (!first) return second
  const [older, newer] =
    stageOf(second) >= stageOf(first) ? [first, second] : ([second, first] as const)
  const data = newer.progress.data ?? older.progress.data
  if (data === undefined) return newer
  return { ...newer, progress: { ...newer.progress, data } }
}

/** The newest first. An answer may be older than what the stream has told since. */
export function combineJobs(
  listed: readonly Job[],
  heard: ReadonlyMap<string, Job>,
  removed: ReadonlySet<string>,
): readonly Job[] {
  const all = new Map(listed.map((job) => [job.id, job]))
  for (const job of heard.values()) all.set(job.id, laterJob(all.get(job.id), job))
  return [...all.values()]
    .filter(({ id }) => !removed.has(id))
    .toSorted((a, b) => b.created - a.created)
}

/** Rises as a job goes on. */
const stageOf = (job: Job): number => (isUnderWay(job) ? (job.progress.share ?? 0) : 2)
