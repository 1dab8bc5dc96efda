// Work that was begun and has not ended, so that whoever closes can wait for it.

export interface Pending {
  /** Begins work and answers as it does. */
  track<T>(work: () => Promise<T>): Promise<T>
  readonly size: number
  /** Resolves when nothing is left, whether it succeeded or not. */
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
      // What is begun may begin more.
      while (pending.size > 0) await Promise.allSettled(pending)
    },
  }
}
