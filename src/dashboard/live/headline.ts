// A one-sentence summary of the chart.

import { counted, figure, timeOfDay } from '../format.ts'
import { lookBackMs, type RewardOverTime } from './reward-series.ts'
import type { LatestResults } from './round-curves.ts'

export function headlineOfRounds(results: LatestResults | null): string {
  if (results === null) return 'The demo is about to start.'
  const { round, policies } = results
  return `After ${counted(round, 'round')}, ${rewardsOf(policies)}.`
}

/** The mean reward of fewer slates is mostly noise. */
export const minSlates = 30

/** Null until a policy has served enough slates within one minute. */
export function headlineOfTime({ x, lines }: RewardOverTime, now: number): string | null {
  const last = x.at(-1)
  const policies = lines.flatMap(({ label, values, slates }) => {
    const at = values.findLastIndex((each) => each !== null)
    return at < 0 || slates[at]! < minSlates ? [] : [{ policy: label, value: values[at]! }]
  })
  if (last === undefined || policies.length === 0) return null
  if (now - last < lookBackMs) return `In the last minute, ${rewardsOf(policies)}.`
  return `No slates at the moment. In the minute up to ${timeOfDay(last)}, ${rewardsOf(policies)}.`
}

function rewardsOf(policies: LatestResults['policies']): string {
  return policies
    .toSorted((a, b) => b.value - a.value)
    .map(({ policy, value }, i) =>
      i === 0
        ? `${policy} has a reward of ${figure(value)} per slate`
        : `${policy} ${figure(value)}`,
    )
    .join(', ')
}
