// A list of jobs, such as experiments or imports, which run one at a time. The oldest ended jobs are
// removed when the list is full.

import { randomUUID } from 'node:crypto'

import { RenError } from '../../core/errors.ts'
import type { RunProgress, Runner } from '../runs.ts'
import type { LogHandler } from '../settings.ts'
import { failureOf } from './failures.ts'
import { limits } from '../limits.ts'
import type { Job } from '../schemas/jobs.ts'

interface JobsOptions<Request> {
  /** Names a job in messages, such as `run`. */
  readonly what: string
  readonly runner: Runner<Request> | undefined
  /** The part of a request that the list shows. */
  readonly about: (request: Request) => Readonly<Record<string, unknown>>
  readonly clock: () => number
  readonly onChange: (job: Job) => void
  readonly onLogMessage: LogHandler
}

interface Entry<Request> {
  job: Job
  /** Null once the job has begun. */
  request: Request | null
  readonly abort: AbortController
}

export class Jobs<Request> {
  readonly #options: JobsOptions<Request>
  readonly #entries = new Map<string, Entry<Request>>()
  #working: Promise<void> | null = null

  constructor(options: JobsOptions<Request>) {
    this.#options = options
  }

  start(request: Request): Job {
    const { what, runner, about, clock, onChange } = this.#options
    if (!runner) throw new RenError('not-available', `this server was started without ${what}s`)
    const waiting = this.#entries.values().filter(({ job }) => job.state === 'waiting')
    if (waiting.toArray().length >= limits.waiting) {
      throw new RenError('rate-limited', `at most ${limits.waiting} jobs can wait; try again later`)
    }
    dropOldest(this.#entries)
    const job = newJob(about(request), clock())
    this.#entries.set(job.id, { job, request, abort: new AbortController() })
    onChange(job)
    this.#working ??= this.#workOn()
    return job
  }

  /** Newest first, without results. */
  list(): readonly Job[] {
    return [...this.#entries.values()].map(({ job }) => withoutResult(job)).toReversed()
  }

  get(id: string): Job {
    return this.#find(id).job
  }

  /** Stops a job, which stays in the list with its progress. */
  stop(id: string): Job {
    const entry = this.#find(id)
    this.#stop(entry)
    return entry.job
  }

  /** Stops a job and removes it from the list. Returns its last state. */
  end(id: string): Job {
    const job = this.stop(id)
    this.#entries.delete(id)
    return job
  }

  /** Stops all jobs, and waits for their end. */
  async close(): Promise<void> {
    for (const entry of this.#entries.values()) this.#stop(entry)
    await this.#working
  }

  #find(id: string): Entry<Request> {
    const entry = this.#entries.get(id)
    if (entry) return entry
    throw new RenError('not-found', `there is no ${this.#options.what} ${JSON.stringify(id)}`)
  }

  #stop(entry: Entry<Request>): void {
    if (!isOpen(entry)) return
    entry.request = null
    entry.abort.abort()
    this.#change(entry, { state: 'canceled', ended: this.#options.clock() })
  }

  #change(entry: Entry<Request>, changes: Partial<Job>): void {
    entry.job = { ...entry.job, ...changes }
    this.#options.onChange(withoutResult(entry.job))
  }

  async #workOn(): Promise<void> {
    for (;;) {
      const entry = this.#entries.values().find(({ job }) => job.state === 'waiting')
      if (!entry) break
      await this.#work(entry)
    }
    this.#working = null
  }

  async #work(entry: Entry<Request>): Promise<void> {
    const { runner, clock, onLogMessage } = this.#options
    const { signal } = entry.abort
    const request = entry.request!
    entry.request = null
    this.#change(entry, { state: 'running' })
    try {
      const report = (progress: RunProgress): void => this.#report(entry, progress)
      const result = await runner!.start(request, report, signal)
      if (!signal.aborted) this.#change(entry, { state: 'done', ended: clock(), result })
    } catch (error) {
      if (signal.aborted) return
      const known = error instanceof RenError && error.toJSON()
      const shown = known || failureOf(error, onLogMessage).body.error
      this.#change(entry, { state: 'failed', ended: clock(), error: shown })
    }
  }

  #report(entry: Entry<Request>, progress: RunProgress): void {
    if (entry.job.state !== 'running') return
    const { data = entry.job.progress.data } = progress
    this.#change(entry, { progress })
    // `onChange` sends data only once; the list retains it for later requests.
    if (data !== undefined) entry.job = { ...entry.job, progress: { ...progress, data } }
  }
}

const isOpen = ({ job }: { job: Job }): boolean =>
  job.state === 'waiting' || job.state === 'running'

const newJob = (request: Readonly<Record<string, unknown>>, created: number): Job => ({
  id: randomUUID(),
  state: 'waiting',
  request,
  created,
  ended: null,
  progress: { share: 0, message: '' },
})

function withoutResult(job: Job): Job {
  const { result, ...rest } = job
  return result === undefined ? job : rest
}

function dropOldest(entries: Map<string, { job: Job }>): void {
  const over = entries.size + 1 - limits.jobs
  const ended = entries.entries().filter(([, entry]) => !isOpen(entry))
  for (const [id] of ended.take(Math.max(0, over)).toArray()) entries.delete(id)
}
