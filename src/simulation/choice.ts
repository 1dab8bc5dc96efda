// How a simulated user answers a slate: which items they examine, which one they choose, if any, and
// which rewards are reported.

import {
  choice,
  finiteNumber,
  nonNegativeNumber,
  type Settings,
  type SettingValue,
} from '../core/settings.ts'
import type { Random } from '../core/random.ts'
import type { Outcome } from './environment.ts'

export const slateFeedback = choice(
  'Which rewards are reported: the one of the chosen item, or those of all shown items',
  ['selected', 'shown'],
  'selected',
)

export const choiceSettings = {
  choiceNoise: nonNegativeNumber(
    'Standard deviation of the normal noise on the utilities by which the user chooses; the reward has no such noise',
    0,
  ),
  positionBias: nonNegativeNumber(
    'The user examines the item in slot s with probability 1/s to this power, and chooses only examined items; 0 is all items',
    0,
  ),
  outsideUtility: finiteNumber(
    'Utility of choosing nothing, which gives a reward of 0; defaults to none: the user always chooses',
  ),
} as const

/** Returns the slot that the user chooses from items with these rewards, or null for none. */
export type Choose = (rewards: readonly number[]) => number | null

/**
 * Creates a user who chooses the examined item with the highest utility, with ties at random. The
 * utility of an item is its reward plus noise: u_k = r_k + choiceNoise·z_k, z_k ~ N(0, 1).
 *
 * @param random Breaks ties. Noise and examination have streams of their own.
 */
export function createChoose(
  { choiceNoise, positionBias, outsideUtility }: Settings<typeof choiceSettings>,
  random: Random,
): Choose {
  const noise = random.fork('noise')
  const attention = random.fork('attention')
  const utility = (reward: number): number =>
    choiceNoise === 0 ? reward : reward + choiceNoise * noise.normal()
  const examines = (slot: number): boolean =>
    positionBias === 0 || attention.uniform() < (slot + 1) ** -positionBias
  return (rewards) => {
    const utilities = rewards.map(utility)
    const examined = [...rewards.keys()].filter(examines)
    const best = Math.max(...examined.map((slot) => utilities[slot]!))
    if (outsideUtility !== undefined && utility(outsideUtility) > best) return null
    const ties = examined.filter((slot) => utilities[slot] === best)
    return ties[random.integer(ties.length)]!
  }
}

interface ChoiceOptions {
  readonly feedback: SettingValue<typeof slateFeedback>
  readonly choose: Choose
  /** Returns the reported value of a reward. Defaults to the reward itself. */
  readonly observed?: (reward: number) => number
}

/**
 * Returns the outcome of a slate with these rewards. The reward of the round is that of the chosen
 * item; without a choice it is 0, and so are the rewards that feedback on all shown items reports.
 * Items with the best possible reward are relevant.
 */
export function chooseOne(
  rewards: readonly number[],
  { bestReward, relevantCount }: Pick<Outcome, 'bestReward' | 'relevantCount'>,
  { feedback, choose, observed = (reward) => reward }: ChoiceOptions,
): Outcome {
  const picked = choose(rewards)
  const report = (reward: number): number => (picked === null ? 0 : observed(reward))
  return {
    reward: picked === null ? 0 : rewards[picked]!,
    bestReward,
    reported: rewards.map((reward, slot) =>
      feedback === 'shown' || slot === picked ? report(reward) : null,
    ),
    chosen: picked === null ? [] : [picked],
    relevant: rewards.map((reward) => reward === bestReward),
    relevantCount,
  }
}
