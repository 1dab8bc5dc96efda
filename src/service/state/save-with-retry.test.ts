import { expect, test } from 'vitest'

import { RenError } from '../../core/errors.ts'
import { saveWithRetry } from './snapshots.ts'

const outdated = () => new RenError('snapshot-outdated', 'somebody was erased')

test('an outdated state is saved again', async () => {
  let tries = 0
  await saveWithRetry(async () => {
    if (++tries < 3) throw outdated()
  })
  expect(tries).toBe(3)
})

test('saving gives up after several attempts, and at once on another error', async () => {
  const hopeless = saveWithRetry(() => Promise.reject(outdated()))
  await expect(hopeless).rejects.toMatchObject({ code: 'snapshot-outdated' })
  let tries = 0
  const failing = saveWithRetry(async () => {
    tries += 1
    throw new Error('no space')
  })
  await expect(failing).rejects.toThrow('no space')
  expect(tries).toBe(1)
})
