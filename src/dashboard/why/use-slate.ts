// The slates of a user at some settings, fetched again when a setting changes. All settings are sent
// together, so that one model answers all. At most one request per setting is in progress, and the
// newest settings are sent next. A slider therefore shows slates while it is dragged, however slow
// the service is; the old slates stay until the new ones arrive.

import { useEffect, useState } from 'preact/hooks'

import type { ServedRecommendation } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useFetch, type FetchState } from '../api/use-fetch.ts'
import type { FoundUser } from '../parts/user-picker.tsx'
import type { Setting } from './setting-controls.tsx'

const slateLength = 10

export interface FetchedSlate {
  readonly user: string
  readonly setting: Setting
  readonly response: ServedRecommendation
}

/** One per setting; null without one. Fetched again when `found` changes. */
export function useSlates(
  found: FoundUser,
  settings: readonly (Setting | null)[],
  count = slateLength,
): readonly FetchState<FetchedSlate | null>[] {
  const wanted = JSON.stringify(settings)
  const [sent, setSent] = useState(wanted)
  const fetched = useFetch(
    async (signal) => {
      const all = JSON.parse(sent) as typeof settings
      const fetchAll = () =>
        Promise.all(all.map((setting) => fetchSlate(found.user, setting, count, signal)))
      const slates = await fetchAll()
      // Sent again if a new model was served between two responses.
      return areOfOneModel(slates) ? slates : fetchAll()
    },
    [found, sent],
  )
  const isSent = wanted === sent
  const { value, isLoading } = fetched
  useEffect(() => {
    if (isSent || isLoading) return undefined
    const frame = requestAnimationFrame(() => setSent(wanted))
    return () => cancelAnimationFrame(frame)
  }, [wanted, isSent, isLoading])
  return settings.map((_, i) => ({
    ...fetched,
    value: value?.[i] ?? null,
    isLoading: isLoading || !isSent,
  }))
}

const areOfOneModel = ([a, b]: readonly (FetchedSlate | null)[]): boolean =>
  !a ||
  !b ||
  a.response.variant !== b.response.variant ||
  a.response.modelVersion === b.response.modelVersion

async function fetchSlate(
  user: string,
  setting: Setting | null,
  count: number,
  signal: AbortSignal,
): Promise<FetchedSlate | null> {
  if (setting === null) return null
  const exploration = setting === 'own' ? {} : { exploration: setting }
  const request = { user, count, record: false, explain: true, ...exploration }
  return { user, setting, response: await api.recommend(request, signal) }
}
