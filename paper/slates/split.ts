// Splits users into those who train the model and those who are tested, and movies into those that can be
// shown and those that are held out.

import { RenError } from '../../src/core/errors.ts'
import { byUser } from '../../src/core/log.ts'
import type { InteractionLog, UserSequence } from '../../src/core/log.ts'
import type { Random } from '../../src/core/random.ts'
import type { SlateSettings } from './settings.ts'

/** A tested user with the movies to find, each list in order of time. */
export interface TestedUser {
  readonly name: string
  readonly exploration: readonly string[]
  readonly holdOut: readonly string[]
}

export interface Split {
  readonly itemNames: readonly string[]
  readonly training: readonly UserSequence[]
  readonly tested: readonly TestedUser[]
  /** The movies that can be shown and those that never are: two random halves. */
  readonly exploration: readonly string[]
  readonly holdOut: readonly string[]
  /** The number of ratings of each movie by the users who train the model. */
  readonly counts: Float32Array
}

export function splitRatings(
  log: InteractionLog,
  settings: Pick<SlateSettings, 'trainingUsers' | 'users' | 'minRatings'>,
  random: Random,
): Split {
  const { itemNames } = log
  const sequences = byUser(log)
  random.fork('users').shuffle(sequences)
  const half = Math.floor(sequences.length / 2)
  const training = sequences.slice(0, Math.min(half, settings.trainingUsers))
  const order = random.fork('movies').choose(itemNames.length, itemNames.length)
  const isHeldOut = new Uint8Array(itemNames.length)
  for (const item of order.subarray(Math.ceil(order.length / 2))) isHeldOut[item] = 1
  const namesOf = (items: Iterable<number>, heldOut: 0 | 1): string[] =>
    Array.from(items)
      .filter((item) => isHeldOut[item] === heldOut)
      .map((item) => itemNames[item]!)
  const tested = sequences
    .slice(half)
    .map(({ user, items }) => ({
      name: log.userNames[user]!,
      exploration: namesOf(items, 0),
      holdOut: namesOf(items, 1),
    }))
    .filter(
      ({ exploration, holdOut }) =>
        Math.min(exploration.length, holdOut.length) >= settings.minRatings,
    )
    .slice(0, settings.users)
  if (tested.length === 0) throw noUsersToTest(settings.minRatings)
  return {
    itemNames,
    training,
    tested,
    exploration: namesOf(itemNames.keys(), 0),
    holdOut: namesOf(itemNames.keys(), 1),
    counts: countItems(training, itemNames.length),
  }
}

function countItems(sequences: readonly UserSequence[], itemCount: number): Float32Array {
  const counts = new Float32Array(itemCount)
  for (const { items } of sequences) for (const item of items) counts[item]! += 1
  return counts
}

const noUsersToTest = (least: number): RenError =>
  new RenError(
    'invalid-argument',
    `there must be users to test, with ${least} ratings in each half of the movies, got none`,
  )
