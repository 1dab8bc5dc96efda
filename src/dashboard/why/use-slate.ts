// The slate of a user at a setting, asked for again as the setting moves. At most one question is on
// its way and the newest setting is asked next, so that a slider shows slates while it is dragged,
// however slow the service; the old slate stays until the new one is there.

import { useEffect, useState } from 'preact/hooks'

import { api } from '../api/client.ts'
import { useAsked } from '../api/use-asked.ts'
import type { Asked } from '../api/use-asked.ts'
import type { ServedRecommendation } from '../../service/index.ts'
import type { FoundUser } from './find-user.ts'
import { choiceOf } from './setting.ts'
import type { Setting } from './setting.ts'

export const slateLength = 10

export interface AskedSlate {
  readonly user: string
  readonly setting: Setting
  readonly answer: ServedRecommendation
}

/** Null where there is no setting. Asked again when the user is found anew. */
export function useSlate(
  found: FoundUser,
  setting: Setting | null,
  count = slateLength,
): Asked<AskedSlate | null> {
  const [sent, setSent] = useState(setting)
  const asked = useAsked(
    (signal) => askSlate(found.user, sent, count, signal),
    [found, JSON.stringify(sent)],
  )
  const { isLoading } = asked
  const isSent = JSON.stringify(setting) === JSON.stringify(sent)
  useEffect(() => {
    if (isSent || isLoading) return undefined
    const frame = requestAnimationFrame(() => setSent(setting))
    return () => cancelAnimationFrame(frame)
  }, [setting, isSent, isLoading])
  return { ...asked, isLoading: isLoading || !isSent }
}

async function askSlate(
  user: string,
  setting: Setting | null,
  count: number,
  signal: AbortSignal,
): Promise<AskedSlate | null> {
  if (setting === null) return null
  const request = { user, count, record: false, ...choiceOf(setting) }
  return { user, setting, answer: await api.recommend(request, signal) }
}
