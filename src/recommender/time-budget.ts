// Work that may take a share of the time only.

/** The largest time that may be spent at once, in milliseconds, after a long rest. */
const largestCredit = 200

/** Runs jobs while there is time to spend: a share of what passes, saved up to a limit. */
export function createTimeBudget(clock: () => number, share: number) {
  let credit = 0
  let last = clock()
  return {
    spend(job: () => void): void {
      const start = clock()
      credit = Math.min(largestCredit, credit + share * Math.max(0, start - last))
      last = start
      if (credit < 0) return
      job()
      credit -= clock() - start
    },
  }
}
