// When something is due: after so many events, or after so many seconds. Never twice at once, and
// after each time a rest of the same length: half of a processor and of a disk stays for others.

/** The longest that a timer of Node can wait. */
const longestWait = 2 ** 31 - 1

interface Due {
  readonly everyEvents: number
  readonly everySeconds: number
}

export class Schedule {
  readonly #due: Due
  readonly #job: (events: number) => Promise<boolean>
  #events = 0
  #isFree = true
  #stopped = false
  #timer: NodeJS.Timeout | undefined

  /**
   * Runs `job` with the number of events since it last began. Where it answers true there is more to
   * do, and nothing else is waited for; one that fails says so itself, and is run when it is due again.
   */
  constructor(due: Due, job: (events: number) => Promise<boolean>) {
    this.#due = due
    this.#job = job
    this.#wait()
  }

  /** Counts received events. */
  addEvents(more: number): void {
    this.#events += more
    if (!this.#stopped && this.#isFree && this.#events >= this.#due.everyEvents) void this.#run()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer)
    this.#isFree = false
    const since = this.#events
    this.#events = 0
    const began = performance.now()
    const more = await this.#job(since).catch(() => false)
    this.#later(performance.now() - began, () => {
      this.#isFree = true
      if (more || this.#events >= this.#due.everyEvents) void this.#run()
      else this.#wait()
    })
  }

  #wait(): void {
    this.#later(this.#due.everySeconds * 1000, () => void this.#run())
  }

  #later(milliseconds: number, next: () => void): void {
    clearTimeout(this.#timer)
    if (this.#stopped || milliseconds === Infinity) return
    this.#timer = setTimeout(next, Math.min(milliseconds, longestWait)).unref()
  }
}
