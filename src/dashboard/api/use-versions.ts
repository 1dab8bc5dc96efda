// All versions of the models, kept up by the stream.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'

import type { ModelVersion } from '../../service/index.ts'
import { api } from './client.ts'
import { useAsked } from './use-asked.ts'
import type { Asked } from './use-asked.ts'
import { useStreamEvents } from './use-stream.ts'
import { newestFirst, stillNew } from './versions.ts'

/** The newest first. What older ones earn is asked for again now and then. */
export function useVersions(): Asked<readonly ModelVersion[]> {
  const asked = useAsked(api.versions, [], { everyMs: 30_000 })
  const [news, setNews] = useState<readonly ModelVersion[]>([])
  const waiting = useRef<ModelVersion[]>([])
  const listed = asked.value?.versions
  useEffect(() => {
    if (listed) setNews((before) => stillNew(before, listed))
  }, [listed])
  useStreamEvents('model', ({ version }) => waiting.current.push(version))
  // Many models may learn many times a second; the table is drawn once.
  useStreamEvents('metrics', () => {
    const some = waiting.current.splice(0)
    if (some.length > 0) setNews((before) => [...before, ...some])
  })
  const value = useMemo(() => (listed ? newestFirst(listed, news) : null), [listed, news])
  return { ...asked, value }
}
