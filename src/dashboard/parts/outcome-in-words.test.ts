import { expect, test } from 'vitest'

import { outcomeInWords } from './outcome-in-words.ts'

const told = { group: 'ren', version: 3, loss: 0.51234, heldOut: null, swapMs: 0.2 }

test('every outcome is a sentence', () => {
  expect(outcomeInWords({ ...told, outcome: 'learnt' })).toBe(
    'ren has learnt: version 3, loss 0.512; serving stood still for 0.2 ms.',
  )
  expect(outcomeInWords({ ...told, outcome: 'nothing-new' })).toMatch(/nothing new/)
  expect(outcomeInWords({ ...told, outcome: 'refused', reason: 'the loss rose' })).toBe(
    'ren: the update was refused, since the loss rose.',
  )
})
