// What uncertainty estimators observe of an event: the items that were shown, and θ as it was when
// they were shown.

import type { ImpressionsEvent } from '../core/events.ts'
import type { ItemIndex } from '../core/types.ts'
import { sliceHistory } from '../models/batch.ts'
import type { SequenceModel } from '../models/index.ts'
import type { ObservedEvent } from './events.ts'
import { impressionFlags } from './seen-items.ts'
import type { StateContents } from './state.ts'
import { historyOf } from './decision-inputs.ts'
import { findSlate } from './user-state.ts'

export interface NewlyShown {
  readonly rows: readonly ItemIndex[]
  readonly theta: Float32Array
}

/** To be asked before the event is applied; what was shown and turns out not to be seen stays. */
export function newlyShown(
  event: ObservedEvent,
  state: StateContents,
  userEmbedding: (user: string) => Float32Array,
  model: SequenceModel,
): NewlyShown | null {
  if (event.kind === 'impressions') return newlySeen(event, state, model)
  if (event.kind !== 'recommendation' || event.counted === false) return null
  const rows = event.items.map(({ item }) => state.catalog.row(item))
  return { rows, theta: userEmbedding(event.user) }
}

function newlySeen(
  event: ImpressionsEvent,
  state: StateContents,
  model: SequenceModel,
): NewlyShown | null {
  const user = state.users.get(event.user)
  const slate = user && findSlate(user, event.recommendationId)
  if (slate === undefined) return null
  const { items, flags, after } = slate
  const isNew = (item: ItemIndex, slot: number) =>
    (flags[slot]! & impressionFlags.unseen) !== 0 &&
    event.items.includes(state.catalog.names[item]!)
  const rows = [...items].filter(isNew)
  if (rows.length === 0) return null
  const theta = new Float32Array(model.dimension)
  const before = Math.max(0, after[0]! - user!.history.dropped)
  model.userEmbedding(sliceHistory(historyOf(user!), 0, before), theta)
  return { rows, theta }
}
