import { describe, expect, it } from 'vitest'

import { untilInterrupted } from './interrupt-signal.ts'

const signals = ['SIGUSR2', 'SIGWINCH'] as const
const listeners = (): number[] => signals.map((name) => process.listenerCount(name))

describe('interruptible work', () => {
  it('aborts on the first signal; the next one has its usual effect', async () => {
    const before = listeners()
    const aborted = await untilInterrupted(async (signal) => {
      expect(signal.aborted).toBe(false)
      process.emit('SIGWINCH')
      expect(listeners()).toEqual(before)
      return signal.aborted
    }, signals)
    expect(aborted).toBe(true)
  })

  it('removes its listeners, whether it succeeds or fails', async () => {
    const before = listeners()
    await untilInterrupted(async () => null, signals)
    await expect(untilInterrupted(() => Promise.reject(new Error('no')), signals)).rejects.toThrow(
      'no',
    )
    expect(listeners()).toEqual(before)
  })
})
