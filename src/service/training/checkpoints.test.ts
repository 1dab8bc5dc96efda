import { expect, test } from 'vitest'

import { createMemoryStore } from '../../storage/index.ts'
import type { TrainingStatus } from '../schemas/model.ts'
import { createAttempts } from './checkpoints.ts'

const group = { name: 'ren', method: 'ren-g', settings: {} }

test.each([
  ['finished', 'done'],
  ['cancelled', 'canceled'],
  ['failed', 'failed'],
])('the state %s of an old store is read as %s', async (saved, state) => {
  const attempts = createAttempts(createMemoryStore(), 'seed', () => {})
  const status = { group: 'ren', state: saved, epoch: 3 } as unknown as TrainingStatus
  await attempts.save(group as never, { status, interactions: 7 })
  expect(await attempts.find(group as never)).toEqual({
    status: { ...status, state },
    interactions: 7,
  })
})
