// θ of each user, kept until the history or the weights move. Where the model is recurrent, one more
// interaction costs one step while the history is whole and fits the model's window; any other
// change reads the history again, for the steps that have left the window cannot be undone.

import type { History, SequenceModel } from '../models/index.ts'
import { historyOf, unknownUser } from './histories.ts'
import { interactionsOf } from './user-state.ts'
import type { UserState } from './user-state.ts'

type OnlineState = NonNullable<ReturnType<SequenceModel['openState']>>

interface CachedEmbedding {
  readonly version: number
  /** Interactions, with those that were dropped since: as many mean the same. */
  readonly count: number
  readonly online: OnlineState | null
  readonly theta: Float32Array
}

/** θ_t of a user (d values), not to be written to; the history may grow between calls. */
export type UserEmbeddings = (user: UserState) => Float32Array

export function createUserEmbeddings(model: SequenceModel): UserEmbeddings {
  // By the history itself: an erased user takes the history along.
  const cache = new WeakMap<UserState['history'], CachedEmbedding>()

  function follow({ history }: UserState, last: CachedEmbedding | undefined): OnlineState | null {
    if (history.length > model.architecture.window || history.dropped > 0) return null
    const opened = last?.online ?? model.openState(historyOf(unknownUser))
    const { items, rewards, times } = history.columns(last?.online ? last.count : 0)
    for (const [i, item] of items.entries()) opened?.advance(item, rewards[i]!, times[i]!)
    return opened
  }

  return (user) => {
    const { version, dimension } = model
    const known = cache.get(user.history)
    const last = known?.version === version ? known : undefined
    const count = interactionsOf(user)
    if (last?.count === count) return last.theta
    const online = follow(user, last)
    const theta = new Float32Array(dimension)
    if (online === null) model.userEmbedding(lastOf(user, model.architecture.window), theta)
    else online.theta(theta)
    cache.set(user.history, { version, count, online, theta })
    return theta
  }
}

/** The last `most` interactions: a model checks whatever it is given, also what it does not read. */
function lastOf({ history, timeBefore }: UserState, most: number): History {
  const from = Math.max(0, history.length - most)
  const before = from > 0 ? history.column('times', from - 1, from)[0]! : timeBefore
  return { ...history.columns(from), ...(before !== null && { timeBefore: before }) }
}
