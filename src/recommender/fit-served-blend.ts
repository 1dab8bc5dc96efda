// The blend for a model that came from elsewhere, fitted on the latest interactions of the users
// that a recommender knows.

import { createRandom } from '../core/random.ts'
import { fitBlend } from './fit-blend.ts'
import type { FittedBlend } from './fit-blend.ts'
import { holdOutLatest } from './held-out.ts'
import { packHistories, unpackHistories } from './packed-histories.ts'
import type { Recommender } from './recommender-api.ts'

/** Fewer would say little about four weights. */
const minUsers = 100

/**
 * Exact where the model has not learned from each user's latest interaction, as `ren train` holds it
 * out by default; else the model counts more than it should until live interactions correct it.
 * Null where there are too few users to tell.
 */
export function fitServedBlend({
  model,
  state,
}: Pick<Recommender, 'model' | 'state'>): FittedBlend | null {
  const packed = packHistories(state.users, model.itemCount, model.architecture.readsTimes === true)
  const sequences = unpackHistories(packed)
  if (sequences.filter(({ items }) => items.length > 1).length < minUsers) return null
  const random = createRandom('served blend')
  const heldOut = holdOutLatest(sequences, { keys: packed.keys, random })
  return fitBlend({ heldOut, itemCount: model.itemCount, model, random })
}
