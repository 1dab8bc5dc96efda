import { expect, it } from 'vitest'

import { daysText, seenText } from './data-panel.tsx'
import { describeRun } from './live-view.tsx'

it('a training run shows its epoch, its share and the time left', () => {
  const run = {
    group: 'ren',
    state: 'running',
    startedAt: 0,
    epoch: 3,
    epochs: 20,
    share: 0.1234,
    secondsLeft: 605,
    loss: 5.4321,
    validation: { hr10: 0.25, ndcg10: 0.1 },
  } as const
  expect(describeRun(run)).toBe(
    'epoch 3 of 20, 12%, 10 min 5 s left, loss 5.43, HR@10 of held-out users 25%',
  )
  expect(describeRun({ ...run, state: 'failed', message: 'out of memory' })).toBe(
    'epoch 3 of 20, loss 5.43, HR@10 of held-out users 25%, out of memory',
  )
})

it('the data panel says whether seen items are excluded, and why', () => {
  const seen = { mode: 'auto', excludes: true, repeatRate: 0.001, interactions: 5000 } as const
  expect(seenText(seen)).toBe(
    'Slates leave out items that the user has interacted with. ' +
      'Repeats: 0.1% of 5,000 interactions that could repeat.',
  )
  expect(seenText({ ...seen, excludes: false, repeatRate: null })).toMatch(
    /decides this from 1,000 interactions on/,
  )
  expect(seenText({ ...seen, mode: 'interacted' })).not.toContain('Repeats')
})

it('says how many interactions are older than the days shown', () => {
  const eventsPerDay = [{ day: '2026-11-16', count: 1 }]
  expect(daysText({ eventsPerDay, interactions: 1001 })).toBe(
    'Interactions per day, at most 1; 1,000 are older',
  )
  expect(daysText({ eventsPerDay, interactions: 1 })).toBe('Interactions per day, at most 1')
})
