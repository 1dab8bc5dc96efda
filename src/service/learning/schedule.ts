// Runs a job after a number of events or seconds, never twice at once. After each run it rests for
// the duration of the run, which leaves half of a processor and of the disk to requests.

/** The longest delay of a Node timer, in milliseconds. */
const maxDelay = 2 ** 31 - 1

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
   * @param job Gets the number of events since it last began. If it resolves with true, it runs again
   *   right after the rest. It reports its own failures.
   */
  constructor(due: Due, job: (events: number) => Promise<boolean>) {
    this.#due = due
    this.#job = job
    this.#wait()
  }

  /** Counts new events, and runs the job if it is due. */
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
    this.#timer = setTimeout(next, Math.min(milliseconds, maxDelay)).unref()
  }
}
