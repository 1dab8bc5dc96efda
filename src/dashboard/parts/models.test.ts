import { expect, test } from 'vitest'

import { describeOutcome } from './models.tsx'

const update = { group: 'ren', version: 3, loss: 0.51234, heldOut: null, swapMs: 0.2 }

test('every outcome is a sentence', () => {
  expect(describeOutcome({ ...update, outcome: 'trained' })).toBe(
    'ren was trained: version 3, loss 0.512; serving paused for 0.2 ms.',
  )
  expect(describeOutcome({ ...update, outcome: 'nothing-new' })).toMatch(/no new events/)
  expect(describeOutcome({ ...update, outcome: 'refused', reason: 'the loss rose' })).toBe(
    'ren: the update was refused because the loss rose.',
  )
})
