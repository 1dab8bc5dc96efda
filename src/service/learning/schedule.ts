// When something is due: after so many events, or after so many seconds. Never twice at once, and
// after each time a rest of the same length: half of a processor and of a disk stays for others.

export interface Schedule {
  /** Counts received events. */
  addEvents(events: number): void
  stop(): void
}

/** The longest that a timer of Node can wait. */
const longestWait = 2 ** 31 - 1

/**
 * Runs `job` with the number of events since it last began. Where it answers true there is more to do,
 * and nothing else is waited for; one that fails says so itself, and is run when it is due again.
 */
export function startSchedule(
  { everyEvents, everySeconds }: { readonly everyEvents: number; readonly everySeconds: number },
  job: (events: number) => Promise<boolean>,
): Schedule {
  let events = 0
  let isFree = true
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  function later(milliseconds: number, next: () => void): void {
    clearTimeout(timer)
    if (stopped || milliseconds === Infinity) return
    timer = setTimeout(next, Math.min(milliseconds, longestWait)).unref()
  }

  async function run(): Promise<void> {
    clearTimeout(timer)
    isFree = false
    const since = events
    events = 0
    const began = performance.now()
    const more = await job(since).catch(() => false)
    later(performance.now() - began, () => {
      isFree = true
      if (more || events >= everyEvents) void run()
      else wait()
    })
  }

  function wait(): void {
    later(everySeconds * 1000, () => void run())
  }

  wait()
  return {
    addEvents(more) {
      events += more
      if (!stopped && isFree && events >= everyEvents) void run()
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
