// Requests repeated at an interval. A slow answer is waited for: a request that replaces the one
// before it would never be answered where answers take longer than the interval.

export interface PollOptions {
  readonly everyMs: number
  /** `performance.now()` when the request under way was sent; null if there is none. */
  readonly sentAt: () => number | null
  readonly send: () => void
}

/** After this many milliseconds without an answer, a request is sent again. */
export const patienceMs = 60_000

/** Polls until the returned function is called. */
export function startPolling({ everyMs, sentAt, send }: PollOptions): () => void {
  const timer = setInterval(() => {
    const sent = sentAt()
    if (sent === null || performance.now() - sent >= patienceMs) send()
  }, everyMs)
  return () => clearInterval(timer)
}
