// A one-sentence summary of the chart.

import { count, figure, timeOfDay } from '../format.ts'
import { lookBackMs, type RewardOverTime } from './reward-series.ts'
import type { LatestResults } from './round-curves.ts'

export function headlineOfRounds(results: LatestResults | null): string {
  if (results === null) return 'The demo is about to start.'
  const { round, policies } = results
  const rounds = round === 1 ? 'one round' : `${count(round)} rounds`
  return `After ${rounds}, ${rewardsOf(policies)}.`
}

export function headlineOfTime({ x, lines }: RewardOverTime, now: number): string {
  const last = x.at(-1)
  const policies = lines.flatMap(({ label, values }) => {
    const value = values.findLast((each) => each !== null)
    return value == null ? [] : [{ policy: label, value }]
  })
  if (last === undefined || policies.length === 0) return 'No slates served yet.'
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
