// SupREN on a model, for the plan `syn-rivals`: in `gru4rec+sup-ren` the recommender trains its model as usual,
// and one SupREN per user picks items by the current embeddings. SupREN remembers each pick and its reason.

import { readSettings } from '../../src/core/settings.ts'
import type { StatefulMethod } from '../../src/experiments/contestants.ts'
import { baseRenSettings } from '../../src/exploration/base-ren.ts'
import { createMethod, requireMethod } from '../../src/recommender/index.ts'
import type { MethodSettings, RenEvent } from '../../src/recommender/index.ts'
import { createSupRenSlates, type SupRenSlates } from './sup-ren.ts'

/** With a policy without settings, so that only settings of the model and of training remain. */
const methodOf = (model: string): string => `${model}+greedy`

export const supRen: StatefulMethod = {
  check: (model, settings) => requireMethod(methodOf(model), sortSettings(settings).rest),
  create(engine, model, { settings = {}, ...options }) {
    const { own, rest } = sortSettings(settings)
    const slates = createSupRenSlates(own)
    let currentUser = ''
    const recommender = createMethod(engine, methodOf(model), {
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
  },
}

/** Reports the reward of every item of a slate if known, otherwise of the chosen item. */
function observeEvent(slates: SupRenSlates, event: RenEvent, row: (item: string) => number): void {
  if (event.kind === 'user-erased') slates.forget(event.user!)
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
