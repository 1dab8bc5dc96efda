// Model versions.

import { useMemo } from 'preact/hooks'

import type { ModelVersion } from '../../service/index.ts'
import { api } from './client.ts'
import { useFetch, type FetchState } from './use-fetch.ts'

/** A rollback also creates a version, so the newest version of a model group is served. */
export const isServing = (version: ModelVersion, all: readonly ModelVersion[]): boolean =>
  version === all.find(({ group }) => group === version.group)

/** Newest first. */
export function useVersions(): FetchState<readonly ModelVersion[]> {
  const fetched = useFetch(api.versions, [], { everyMs: 2000 })
  const versions = useMemo(
    () => fetched.value?.versions.toSorted((a, b) => b.time - a.time || b.version - a.version),
    [fetched.value],
  )
  return { ...fetched, value: versions ?? null }
}
