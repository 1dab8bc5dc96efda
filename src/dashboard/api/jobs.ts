// Runs and imports.

import type { Job } from '../../service/index.ts'
import { useFetch, type FetchState } from './use-fetch.ts'

export const isUnderWay = ({ ended }: Job): boolean => ended === null

/** Null until the service works on it. */
export const shareOf = ({ state, progress }: Job): number | null =>
  state === 'waiting' ? null : progress.share

/** Newest first. */
export function useJobs(
  request: (signal: AbortSignal) => Promise<{ readonly jobs: readonly Job[] }>,
): FetchState<readonly Job[]> {
  const fetched = useFetch(request, [], { everyMs: 1000 })
  return { ...fetched, value: fetched.value?.jobs ?? null }
}
