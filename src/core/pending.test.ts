import { expect, it } from 'vitest'

import { createPending } from './pending.ts'

it('waits for tracked work, for work that it starts, and for work that fails', async () => {
  const pending = createPending()
  const ended: string[] = []
  const work = (name: string, next?: () => void) => async (): Promise<string> => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    ended.push(name)
    next?.()
    return name
  }
  const failing = async (): Promise<never> => {
    await Promise.resolve()
    throw new Error('no')
  }
  const failed = pending.track(failing).catch(String)
  const first = pending.track(work('first', () => void pending.track(work('second'))))
  expect(pending.size).toBe(2)
  await pending.settled()
  expect(ended).toEqual(['first', 'second'])
  expect(pending.size).toBe(0)
  expect(await first).toBe('first')
  expect(await failed).toBe('Error: no')
})
