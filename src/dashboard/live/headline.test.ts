import { expect, test } from 'vitest'

import { headlineOfRounds, headlineOfTime, minSlates } from './headline.ts'

const enough = [minSlates, minSlates]

test('rounds: the policy with the highest reward is first', () => {
  const policies = [
    { policy: 'greedy', value: 0.62 },
    { policy: 'REN', value: 0.7123 },
  ]
  expect(headlineOfRounds({ round: 1240, policies })).toBe(
    'After 1,240 rounds, REN has a reward of 0.712 per slate, greedy 0.62.',
  )
  expect(headlineOfRounds(null)).toBe('The demo is about to start.')
})

test('time: the last values of each policy, and whether they are current', () => {
  const figures = {
    x: [1000, 2000],
    lines: [
      { label: 'ren', values: [0.5, null], slates: enough },
      { label: 'greedy', values: [null, 0.25], slates: enough },
      { label: 'random', values: [null, null], slates: [0, 0] },
    ],
  }
  const rewards = 'ren has a reward of 0.5 per slate, greedy 0.25.'
  expect(headlineOfTime(figures, 3000)).toBe(`In the last minute, ${rewards}`)
  expect(headlineOfTime(figures, 100_000)).toMatch(
    /^No slates at the moment\. .* ren has a reward of 0\.5/,
  )
})

test('time: a policy with too few slates is left out', () => {
  const line = (label: string, slates: number) => ({ label, values: [0.5], slates: [slates] })
  const headline = (...lines: ReturnType<typeof line>[]) => headlineOfTime({ x: [1], lines }, 1)
  expect(headline(line('ren', minSlates), line('greedy', 1))).toBe(
    'In the last minute, ren has a reward of 0.5 per slate.',
  )
  expect(headline(line('ren', minSlates - 1))).toBeNull()
  expect(headline()).toBeNull()
})
