import { afterEach, beforeEach, expect, it, vi } from 'vitest'

import { patienceMs, startPolling } from './use-fetch.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Polls a service whose answers take `answerMs`; a request aborts the one before it. */
function poll(everyMs: number, answerMs: number) {
  const counts = { sent: 0, answered: 0 }
  let sentAt: number | null = null
  let answer: NodeJS.Timeout | undefined
  const stop = startPolling({
    everyMs,
    sentAt: () => sentAt,
    send() {
      counts.sent++
      sentAt = performance.now()
      clearTimeout(answer)
      answer = setTimeout(() => {
        counts.answered++
        sentAt = null
      }, answerMs)
    },
  })
  return { counts, stop }
}

it('sends a request at every interval if responses arrive in time', () => {
  const { counts, stop } = poll(1000, 10)
  vi.advanceTimersByTime(5500)
  expect(counts).toEqual({ sent: 5, answered: 5 })
  stop()
  vi.advanceTimersByTime(5000)
  expect(counts.sent).toBe(5)
})

it('receives every response if responses take longer than the interval', () => {
  const { counts, stop } = poll(1000, 2500)
  vi.advanceTimersByTime(12_900)
  expect(counts).toEqual({ sent: 4, answered: 4 })
  stop()
})

it('sends again if a response never arrives', () => {
  const { counts, stop } = poll(1000, 10 * patienceMs)
  vi.advanceTimersByTime(1000 + patienceMs)
  expect(counts.sent).toBe(2)
  stop()
})
