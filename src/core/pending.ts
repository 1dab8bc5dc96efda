// Tracks unfinished asynchronous work, so that `close` can wait for it.

export interface Pending {
  /** Starts the work and returns its promise. */
  track<T>(work: () => Promise<T>): Promise<T>
  readonly size: number
  /** Resolves when all work has ended, including work that failed. */
  settled(): Promise<void>
}

export function createPending(): Pending {
  const pending = new Set<Promise<unknown>>()
  return {
    async track(work) {
      const run = work()
      pending.add(run)
      try {
        return await run
      } finally {
        pending.delete(run)
      }
    },
    get size() {
      return pending.size
    },
    async settled() {
      // Running work may start more work.
      while (pending.size > 0) await Promise.allSettled(pending)
    },
  }
}
