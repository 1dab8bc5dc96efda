// The figures in one sentence, for those who see a chart like this for the first time.

import { count, figure, timeOfDay } from '../format.ts'
import { lookBackMs } from './reward-series.ts'
import type { RewardOverTime } from './reward-series.ts'
import type { Standing } from './round-curves.ts'

export function headlineOfRounds(standing: Standing | null): string {
  if (standing === null) return 'The simulated users are about to begin.'
  const { round, policies } = standing
  const rounds = round === 1 ? 'one round' : `${count(round)} rounds`
  return `After ${rounds} ${said(policies, 'earns')}.`
}

export function headlineOfTime({ x, lines }: RewardOverTime, now: number): string {
  const last = x.at(-1)
  const policies = lines.flatMap(({ label, values }) => {
    const value = values.findLast((each) => each !== null)
    return value == null ? [] : [{ policy: label, value }]
  })
  if (last === undefined || policies.length === 0) return 'Nothing has been served yet.'
  if (now - last < lookBackMs) return `In the last minute ${said(policies, 'earned')}.`
  return `Nothing is served just now. In the minute up to ${timeOfDay(last)} ${said(policies, 'earned')}.`
}

function said(policies: Standing['policies'], verb: string): string {
  return policies
    .toSorted((a, b) => b.value - a.value)
    .map(({ policy, value }, i) =>
      i === 0 ? `${policy} ${verb} ${figure(value)} a slate` : `${policy} ${figure(value)}`,
    )
    .join(', ')
}
