// Model versions: the list from the service, updated by the stream.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'

import type { ModelVersion } from '../../service/index.ts'
import { api } from './client.ts'
import { useStreamEvents } from './stream.ts'
import { useFetch, type FetchState } from './use-fetch.ts'

const keyOf = ({ group, version }: ModelVersion): string => `${version} ${group}`

/** Received versions that the list does not have, for example because they arrived after it was sent. */
export function unlisted(
  received: readonly ModelVersion[],
  listed: readonly ModelVersion[],
): readonly ModelVersion[] {
  const known = new Set(listed.map(keyOf))
  return received.filter((each) => !known.has(keyOf(each)))
}

/** Newest first, each version once. */
export const newestFirst = (
  listed: readonly ModelVersion[],
  received: readonly ModelVersion[],
): readonly ModelVersion[] =>
  [...listed, ...unlisted(received, listed)].toSorted(
    (a, b) => b.time - a.time || b.version - a.version,
  )

/** A rollback also creates a version, so the newest version of a model group is served. */
export const isServing = (version: ModelVersion, all: readonly ModelVersion[]): boolean =>
  version === all.find(({ group }) => group === version.group)

/** Newest first. The rewards of older versions are fetched again periodically. */
export function useVersions(): FetchState<readonly ModelVersion[]> {
  const fetched = useFetch(api.versions, [], { everyMs: 30_000 })
  const [received, setReceived] = useState<readonly ModelVersion[]>([])
  const waiting = useRef<ModelVersion[]>([])
  const listed = fetched.value?.versions
  useEffect(() => {
    if (listed) setReceived((before) => unlisted(before, listed))
  }, [listed])
  useStreamEvents('model', ({ version }) => waiting.current.push(version))
  // Many models can be updated many times per second; the table renders once.
  useStreamEvents('metrics', () => {
    const some = waiting.current.splice(0)
    if (some.length > 0) setReceived((before) => [...before, ...some])
  })
  const value = useMemo(() => (listed ? newestFirst(listed, received) : null), [listed, received])
  return { ...fetched, value }
}
