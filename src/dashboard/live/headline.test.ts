import { expect, test } from 'vitest'

import { headlineOfRounds, headlineOfTime } from './headline.ts'

test('rounds: who earns most is named first', () => {
  const policies = [
    { policy: 'greedy', value: 0.62 },
    { policy: 'REN', value: 0.7123 },
  ]
  expect(headlineOfRounds({ round: 1240, policies })).toBe(
    'After 1,240 rounds REN earns 0.712 a slate, greedy 0.62.',
  )
  expect(headlineOfRounds(null)).toBe('The simulated users are about to begin.')
})

test('time: the last figures of each policy, and whether they are of now', () => {
  const figures = {
    x: [1000, 2000],
    lines: [
      { label: 'ren', values: [0.5, null] },
      { label: 'greedy', values: [null, 0.25] },
      { label: 'random', values: [null, null] },
    ],
  }
  const said = 'ren earned 0.5 a slate, greedy 0.25.'
  expect(headlineOfTime(figures, 3000)).toBe(`In the last minute ${said}`)
  expect(headlineOfTime(figures, 100_000)).toMatch(
    /^Nothing is served just now\. .* ren earned 0\.5/,
  )
  expect(headlineOfTime({ x: [], lines: [] }, 0)).toBe('Nothing has been served yet.')
})
