// Tracks unfinished asynchronous work, so that `close` can wait for it.

export function createPending() {
  const pending = new Set<Promise<unknown>>()
  return {
    /** Starts the work and returns its promise. */
    async track<T>(work: () => Promise<T>): Promise<T> {
      const run = work()
      pending.add(run)
      try {
        return await run
      } finally {
        pending.delete(run)
      }
    },
    get size(): number {
      return pending.size
    },
    /** Resolves when all work has ended, including work that failed. */
    async settled(): Promise<void> {
      // Running work may start more work.
      while (pending.size > 0) await Promise.allSettled(pending)
    },
  }
}
