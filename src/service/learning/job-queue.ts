// One job after the other, in the order in which they came.

export interface JobQueue {
  run<T>(job: () => Promise<T>): Promise<T>
  /** Resolves when all that was given so far has ended, well or not. */
  settled(): Promise<void>
}

/** Jobs that have not begun when the signal comes do not begin. */
export function createJobQueue(signal: AbortSignal): JobQueue {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(job) {
      const result = last.then(() => {
        signal.throwIfAborted()
        return job()
      })
      last = result.catch(() => {})
      return result
    },
    async settled() {
      await last
    },
  }
}
