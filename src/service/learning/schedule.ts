// When something is due: after so many events, or after so many seconds. Never twice at once.

export interface Schedule {
  /** So many more events were heard of. */
  heard(events: number): void
  stop(): void
}

/** The longest that a timer of Node can wait. */
const longestWait = 2 ** 31 - 1

/**
 * Runs `job` with the number of events since it last began; it must not reject. Where it answers true
 * there is more to do, and it is run again at once.
 */
export function startSchedule(
  { everyEvents, everySeconds }: { readonly everyEvents: number; readonly everySeconds: number },
  job: (events: number) => Promise<boolean>,
): Schedule {
  let events = 0
  let running = false
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  function wait(): void {
    if (everySeconds === Infinity) return
    timer = setTimeout(() => void run(), Math.min(everySeconds * 1000, longestWait)).unref()
  }

  async function run(): Promise<void> {
    clearTimeout(timer)
    running = true
    const since = events
    events = 0
    const more = await job(since)
    running = false
    if (stopped) return
    if (more || events >= everyEvents) void run()
    else wait()
  }

  wait()
  return {
    heard(more) {
      events += more
      if (!stopped && !running && events >= everyEvents) void run()
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
