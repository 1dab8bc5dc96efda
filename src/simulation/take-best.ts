// The user of worlds in which every item has a worth: takes the best of a slate, any of equals.

import type { Random } from '../core/random.ts'
import type { Outcome } from './environment.ts'

/** Which rewards are reported: that of the chosen item, or those of all shown items. */
export type SlateFeedback = 'selected' | 'shown'

export interface Taking {
  readonly feedback: SlateFeedback
  /** Chooses among equals. */
  readonly random: Random
  /** The reported value of a reward. Defaults to the reward itself. */
  readonly tell?: (reward: number) => number
}

/** What comes of a slate of these rewards; relevant is what no other item would be better than. */
export function takeBest(
  rewards: readonly number[],
  { bestReward, relevantCount }: Pick<Outcome, 'bestReward' | 'relevantCount'>,
  { feedback, random, tell = (reward) => reward }: Taking,
): Outcome {
  const reward = Math.max(...rewards)
  const equals = [...rewards.keys()].filter((slot) => rewards[slot] === reward)
  const taken = equals[random.integer(equals.length)]!
  return {
    reward,
    bestReward,
    reported: rewards.map((value, slot) =>
      feedback === 'shown' || slot === taken ? tell(value) : null,
    ),
    taken: [taken],
    relevant: rewards.map((value) => value === bestReward),
    relevantCount,
  }
}
