// θ of each user, kept until the history or the weights move. Where the model is recurrent, one more
// interaction costs one step while the history fits the model's window; a longer history is read
// anew, for the steps that have left the window cannot be taken back.

import type { Interaction } from '../core/types.ts'
import type { SequenceModel } from '../models/index.ts'
import { inColumns } from './histories.ts'

type OnlineState = NonNullable<ReturnType<SequenceModel['openState']>>

interface Kept {
  readonly version: number
  readonly length: number
  readonly online: OnlineState | null
  readonly theta: Float32Array
}

/** θ_t of a history (d values), not to be written to; the history may grow between calls. */
export type UserEmbeddings = (history: readonly Interaction[]) => Float32Array

export function createUserEmbeddings(model: SequenceModel): UserEmbeddings {
  // By the history itself: who is forgotten takes theirs along.
  const kept = new WeakMap<readonly Interaction[], Kept>()

  function follow(history: readonly Interaction[], last: Kept | undefined): OnlineState | null {
    if (history.length > model.architecture.window) return null
    const opened = last?.online ?? model.openState(inColumns([]))
    const from = last?.online ? last.length : 0
    for (const { item, reward, time } of history.slice(from)) opened?.advance(item, reward, time)
    return opened
  }

  return (history) => {
    const { version, dimension } = model
    const known = kept.get(history)
    const last = known?.version === version ? known : undefined
    if (last?.length === history.length) return last.theta
    const online = follow(history, last)
    const theta = new Float32Array(dimension)
    if (online === null) model.userEmbedding(inColumns(history), theta)
    else online.theta(theta)
    kept.set(history, { version, length: history.length, online, theta })
    return theta
  }
}
