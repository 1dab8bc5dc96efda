// Which interactions a training run does not learn from, so that it can be judged on them.

import { RenError } from '../core/errors.ts'
import type { TestSequence } from '../core/log.ts'
import type { Random } from '../core/random.ts'
import type { History } from '../models/index.ts'
import { sliceHistory } from '../models/batch.ts'
import { areRepeatsRare } from './repeat-rate.ts'

export interface HeldOut {
  /** Histories to learn from: those of held-out users end before their latest interaction. */
  readonly training: readonly History[]
  /** Whole histories of the held-out users: the last interaction of each is to be predicted. */
  readonly tests: readonly TestSequence[]
  /** Whether the items of a history rank last. */
  readonly excludeHistory: boolean
}

export interface HoldOutOptions {
  /** One number per user: those with the smallest are held out. */
  readonly keys?: Float64Array
  readonly random: Random
  readonly excludeHistory?: boolean
}

/** More would make validation slow, and hardly more exact. */
const maxHeldOut = 2000

/** Holds out the latest interaction of at most half of the users who have two. */
export function holdOutLatest(sequences: readonly History[], options: HoldOutOptions): HeldOut {
  const { random, excludeHistory = isChosenOnce(sequences) } = options
  const keys = options.keys ?? drawnKeys(sequences.length, random.fork('held out'))
  const eligible = Array.from(sequences.keys()).filter((user) => sequences[user]!.items.length > 1)
  const count = Math.min(maxHeldOut, Math.floor(eligible.length / 2))
  if (count === 0) {
    const message = 'full training needs at least two users with two interactions each'
    throw new RenError('invalid-argument', `${message}, got ${eligible.length}`)
  }
  const chosen = new Set(eligible.toSorted((a, b) => keys[a]! - keys[b]!).slice(0, count))
  const training = sequences.map((history, user) =>
    chosen.has(user) ? sliceHistory(history, 0, history.items.length - 1) : history,
  )
  const tests = Array.from(chosen, (user): TestSequence => {
    const history = sequences[user]!
    return { ...history, user, firstTarget: history.items.length - 1 }
  })
  return { training, tests, excludeHistory }
}

const drawnKeys = (count: number, random: Random): Float64Array =>
  Float64Array.from({ length: count }, () => random.uniform())

/** Whether users hardly ever choose an item again: then histories are left out. */
function isChosenOnce(sequences: readonly History[]): boolean {
  let [repeats, total] = [0, 0]
  for (const { items } of sequences) {
    repeats += items.length - new Set(items).size
    total += Math.max(0, items.length - 1)
  }
  return areRepeatsRare(repeats, total)
}
