// SupREN on a model, for the plan `syn-rivals`: in `gru4rec+sup-ren` the recommender trains its model as usual,
// and one SupREN per user picks items by the current embeddings. SupREN remembers each pick and its reason.

import { readSettings } from '../../src/core/settings.ts'
import { enterRecommender, type OtherMethod } from '../../src/experiments/contestants.ts'
import { baseRenSettings } from '../../src/exploration/base-ren.ts'
import type { Engine } from '../../src/kernels/index.ts'
import { createMethod, requireMethod } from '../../src/recommender/index.ts'
import type { MethodOptions, MethodSettings, RenEvent } from '../../src/recommender/index.ts'
import type { Contestant } from '../../src/simulation/index.ts'
import { createSupRenSlates, type SupRenSlates } from '../../src/exploration/sup-ren.ts'

const suffix = '+sup-ren'

/** The method `model+sup-ren`; undefined for other names. */
export function supRenOf(name: string): OtherMethod | undefined {
  if (!name.endsWith(suffix)) return undefined
  // With a policy without settings, so that only settings of the model and of training remain.
  const method = `${name.slice(0, -suffix.length)}+greedy`
  return {
    check(settings) {
      const { learns: _, ...rest } = sortSettings(settings).rest
      requireMethod(method, rest)
    },
    enter(engine, environment, settings, seed) {
      const all = { horizon: environment.steps, ...settings }
      return enterRecommender(environment, all, seed, (options) =>
        createSupRenContestant(engine, method, options),
      )
    },
  }
}

function createSupRenContestant(
  engine: Engine,
  method: string,
  { settings = {}, ...options }: Omit<MethodOptions, 'policy'>,
): Contestant {
  const { own, rest } = sortSettings(settings)
  const slates = createSupRenSlates(own)
  let currentUser = ''
  const recommender = createMethod(engine, method, {
    ...options,
    settings: rest,
    policy: {
      name: 'sup-ren',
      choose: (decision, slateSize) => slates.choose(currentUser, decision, slateSize),
    },
  })
  const { catalog } = recommender.state
  return {
    recommend(request) {
      currentUser = request.user
      return recommender.recommend(request)
    },
    observe(event) {
      recommender.observe(event)
      observeEvent(slates, event, (item) => catalog.row(item))
    },
    fineTune: () => recommender.fineTune(),
  }
}

/** Reports the reward of every item of a slate if known, otherwise of the chosen item. */
function observeEvent(slates: SupRenSlates, event: RenEvent, row: (item: string) => number): void {
  if (event.kind === 'user-erased') slates.erase(event.user!)
  if (event.kind === 'interaction') slates.observe(event.user, row(event.item), event.reward)
  if (event.kind !== 'recommendation') return
  for (const { item, reward } of event.items) {
    if (reward !== undefined) slates.observe(event.user, row(item), reward)
  }
}

/** SupREN's own settings, which are those of BaseREN, and the others. */
function sortSettings({ horizon, delta, scale, ...rest }: MethodSettings) {
  return { own: readSettings('sup-ren', baseRenSettings, { horizon, delta, scale }), rest }
}
