// All versions of the models, kept up by the stream.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'

import type { ModelVersion } from '../../service/index.ts'
import { api } from './client.ts'
import { useAsked } from './use-asked.ts'
import type { Asked } from './use-asked.ts'
import { useStreamEvents } from './use-stream.ts'

/** The newest first. What older ones earn is asked for again now and then. */
export function useVersions(): Asked<readonly ModelVersion[]> {
  const asked = useAsked(api.versions, [], { everyMs: 30_000 })
  const [news, setNews] = useState<readonly ModelVersion[]>([])
  const waiting = useRef<ModelVersion[]>([])
  useEffect(() => setNews([]), [asked.value])
  useStreamEvents('model', ({ version }) => waiting.current.push(version))
  // Many models may learn many times a second; the table is drawn once.
  useStreamEvents('metrics', () => {
    const some = waiting.current.splice(0)
    if (some.length > 0) setNews((before) => [...before, ...some])
  })
  const value = useMemo(
    () => asked.value && newestFirst([...asked.value.versions, ...news]),
    [asked.value, news],
  )
  return { ...asked, value }
}

/** Of the same version, the last. */
function newestFirst(versions: readonly ModelVersion[]): readonly ModelVersion[] {
  const own = new Map(versions.map((each) => [`${each.group} ${each.version}`, each]))
  return [...own.values()].toSorted((a, b) => b.time - a.time || b.version - a.version)
}
