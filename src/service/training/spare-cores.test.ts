import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { createLastCall, noteCall, spareThreads } from './spare-cores.ts'

describe('the threads that training may use', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  it('are one fewer for a moment after a call', () => {
    const lastCall = createLastCall()
    const threads = spareThreads(lastCall, 4)
    expect(threads()).toBe(4)
    noteCall(lastCall)
    expect(threads()).toBe(3)
    vi.setSystemTime(Date.now() + 200)
    noteCall(lastCall)
    vi.setSystemTime(Date.now() + 200)
    expect(threads()).toBe(3)
    vi.setSystemTime(Date.now() + 50)
    expect(threads()).toBe(4)
  })

  it('are at least one', () => {
    const lastCall = createLastCall()
    noteCall(lastCall)
    expect(spareThreads(lastCall, 1)()).toBe(1)
  })

  it('are all of them after the clock was set back', () => {
    const lastCall = createLastCall()
    noteCall(lastCall)
    vi.setSystemTime(Date.now() - 3_600_000)
    expect(spareThreads(lastCall, 2)()).toBe(2)
  })
})
