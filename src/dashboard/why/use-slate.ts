// The slates of a user at some settings, asked for again as a setting moves: all together, so that one
// model answers for all. At most one question each is on its way and the newest settings are asked
// next, so that a slider shows slates while it is dragged, however slow the service; the old slates
// stay until the new ones are there.

import { useEffect, useState } from 'preact/hooks'

import type { ServedRecommendation } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useAsked } from '../api/use-asked.ts'
import type { Asked } from '../api/use-asked.ts'
import type { FoundUser } from '../parts/find-user.ts'
import { choiceOf } from './setting.ts'
import type { Setting } from './setting.ts'

const slateLength = 10

export interface AskedSlate {
  readonly user: string
  readonly setting: Setting
  readonly answer: ServedRecommendation
}

/** One a setting, null where there is none. Asked again when the user is found anew. */
export function useSlates(
  found: FoundUser,
  settings: readonly (Setting | null)[],
  count = slateLength,
): readonly Asked<AskedSlate | null>[] {
  const wanted = JSON.stringify(settings)
  const [sent, setSent] = useState(wanted)
  const asked = useAsked(
    async (signal) => {
      const all = JSON.parse(sent) as typeof settings
      const ask = () =>
        Promise.all(all.map((setting) => askSlate(found.user, setting, count, signal)))
      const slates = await ask()
      // Once more where a model came into service between two answers.
      return areOfOneModel(slates) ? slates : ask()
    },
    [found, sent],
  )
  const isSent = wanted === sent
  const { value, isLoading } = asked
  useEffect(() => {
    if (isSent || isLoading) return undefined
    const frame = requestAnimationFrame(() => setSent(wanted))
    return () => cancelAnimationFrame(frame)
  }, [wanted, isSent, isLoading])
  return settings.map((_, i) => ({
    ...asked,
    value: value?.[i] ?? null,
    isLoading: isLoading || !isSent,
  }))
}

const areOfOneModel = ([a, b]: readonly (AskedSlate | null)[]): boolean =>
  !a || !b || a.answer.arm !== b.answer.arm || a.answer.modelVersion === b.answer.modelVersion

async function askSlate(
  user: string,
  setting: Setting | null,
  count: number,
  signal: AbortSignal,
): Promise<AskedSlate | null> {
  if (setting === null) return null
  const request = { user, count, record: false, explain: true, ...choiceOf(setting) }
  return { user, setting, answer: await api.recommend(request, signal) }
}
