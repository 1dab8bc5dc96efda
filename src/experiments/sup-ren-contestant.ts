// SupREN over what a model learns, `gru4rec+sup-ren`: the recommender trains its model as ever, and
// SupREN, one a user, picks by the embeddings of the moment. It is no policy, for it remembers what
// it picked and why: two slates asked for are not the same as one asked for twice.

import { RenError } from '../core/errors.ts'
import { createSupRenSlates } from '../exploration/index.ts'
import type { SupRenSlates, SupRenSlatesOptions } from '../exploration/index.ts'
import type { Engine } from '../kernels/index.ts'
import { createMethod, requireMethod } from '../recommender/index.ts'
import type { MethodOptions, MethodSettings, RenEvent } from '../recommender/index.ts'
import type { Contestant } from '../simulation/index.ts'

const suffix = '+sup-ren'

export const isSupRen = (method: string): boolean => method.endsWith(suffix)

/** Its model with a policy that has no settings: what remains are the model's own, and learning's. */
const modelOf = (method: string): string => `${method.slice(0, -suffix.length)}+greedy`

/** Refuses a method or settings that `createSupRenContestant` would refuse. */
export function requireSupRen(method: string, settings: MethodSettings): void {
  const { own, rest } = sortSettings(settings)
  requireMethod(modelOf(method), rest)
  createSupRenSlates(own)
}

export function createSupRenContestant(
  engine: Engine,
  method: string,
  { settings = {}, ...options }: Omit<MethodOptions, 'policy'>,
): Contestant {
  const { own, rest } = sortSettings(settings)
  const slates = createSupRenSlates(own)
  let asking = ''
  const recommender = createMethod(engine, modelOf(method), {
    ...options,
    settings: rest,
    policy: {
      name: 'sup-ren',
      choose: (decision, slateSize) => slates.choose(asking, decision, slateSize),
    },
  })
  const { catalog } = recommender.state
  return {
    recommend(request) {
      asking = request.user
      return recommender.recommend(request)
    },
    observe(event) {
      recommender.observe(event)
      tell(slates, event, catalog.row)
    },
    fineTune: () => recommender.fineTune(),
  }
}

/** What a slate was worth, where all of it is known; otherwise, what was taken. */
function tell(slates: SupRenSlates, event: RenEvent, row: (item: string) => number): void {
  if (event.kind === 'user-erased') slates.forget(event.user)
  if (event.kind === 'taken') slates.observe(event.user, row(event.item), event.reward)
  if (event.kind !== 'shown') return
  for (const [slot, reward] of (event.rewards ?? []).entries()) {
    slates.observe(event.user, row(event.items[slot]!), reward)
  }
}

interface SortedSettings {
  readonly own: SupRenSlatesOptions
  readonly rest: MethodSettings
}

function sortSettings({ horizon = 1000, delta = 0.1, scale = 1, ...rest }: MethodSettings) {
  const own = { horizon, delta, scale }
  const stray = Object.entries(own).find(([, value]) => typeof value !== 'number')
  if (stray === undefined) return { own, rest } as SortedSettings
  throw new RenError('invalid-argument', `${stray[0]} must be a number, got ${String(stray[1])}`)
}
