// Runs the jobs of a plan on a given number of threads.

import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'

import { RenError } from '../core/errors.ts'
import { checkJobs, jobsOf } from './jobs.ts'
import type { Plan } from './plan-schema.ts'
import { requireData } from './plan-schema.ts'
import type { RunJob, RunRow } from './protocol.ts'
import { findProtocol, standardRegistry, sibling } from './registry.ts'
import type { RunOutcome, RunTask, ShareMessage } from './worker.ts'

export interface RunOptions extends PoolOptions {
  /** The folder of data sets. */
  readonly data: string
  /** Where results are, each plan's in a folder of its name. */
  readonly out: string
}

/** The runs of a plan, once its protocol, settings and data have been found in order. */
export async function prepareJobs(
  plan: Plan,
  { data, registry = standardRegistry }: RunOptions,
): Promise<readonly RunJob[]> {
  const jobs = jobsOf(plan, data)
  await checkJobs(await findProtocol(registry, plan.protocol), jobs)
  requireData(plan, data)
  return jobs
}

export interface PoolOptions {
  readonly workers: number
  /** The address of the module with the protocols. Defaults to the package's own. */
  readonly registry?: string
  /** Stops all runs where they are. */
  readonly signal?: AbortSignal
}

export interface RunListener {
  /** First with a share of 0, when the run begins. */
  progressed(job: RunJob, share: number): void
  finished(job: RunJob, row: RunRow): void
  failed(job: RunJob, reason: string): void
}

/** Begins the runs in the order given; returns when all have ended or the signal stopped them. */
export async function runJobs(
  jobs: readonly RunJob[],
  { workers, registry = standardRegistry, signal }: PoolOptions,
  listener: RunListener,
): Promise<void> {
  if (jobs.length === 0 || signal?.aborted) return
  const pool = new Piscina<RunTask, RunOutcome>({
    filename: fileURLToPath(sibling('worker')),
    name: 'runTask',
    minThreads: 1,
    maxThreads: Math.min(workers, jobs.length),
  })
  const stop = (): void => void pool.destroy()
  signal?.addEventListener('abort', stop, { once: true })
  pool.on('message', ({ id, share }: ShareMessage) => listener.progressed(jobs[id]!, share))
  const runOne = async (job: RunJob, id: number): Promise<void> => {
    // A rejection is the end of the thread itself, by lack of memory for instance.
    const outcome = await pool
      .run({ id, job, registry })
      .catch((error: unknown) => ({ failure: String(error) }))
    if (signal?.aborted) return
    if ('row' in outcome) listener.finished(job, outcome.row)
    else listener.failed(job, outcome.failure)
  }
  // A thread that cannot start ends no run; one that is stopped may still have a word to say.
  const broken = new Promise<never>((_, reject) => {
    pool.on('error', (cause: unknown) => {
      const message = `a thread for runs failed: ${String(cause)}`
      if (!signal?.aborted) reject(new RenError('worker-failed', message, { cause }))
    })
  })
  try {
    await Promise.race([broken, Promise.all(jobs.map(runOne))])
  } finally {
    signal?.removeEventListener('abort', stop)
    await pool.destroy()
  }
}
