// Runs the jobs of a plan on a given number of threads.

import { Worker } from 'node:worker_threads'

import { connectThread } from '../node/thread.ts'
import type { Thread } from '../node/thread.ts'
import { checkJobs, jobsOf } from './jobs.ts'
import type { Plan } from './plan-schema.ts'
import { requireData } from './plan-schema.ts'
import type { RunJob, RunRow } from './protocol.ts'
import { findProtocol, standardRegistry, sibling } from './registry.ts'
import type { WorkerCalls } from './worker.ts'

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
  failed(job: RunJob, error: Error): void
}

/** Begins the runs in the order given; returns when all have ended or the signal stopped them. */
export async function runJobs(
  jobs: readonly RunJob[],
  { workers, registry = standardRegistry, signal }: PoolOptions,
  listener: RunListener,
): Promise<void> {
  const pending = jobs.values()
  const threads = Array.from({ length: Math.min(workers, jobs.length) }, createLiveThread)
  let isOver = signal?.aborted ?? false
  const stop = async (): Promise<void> => {
    isOver = true
    await Promise.all(threads.map((thread) => thread.end()))
  }
  const runOne = async (thread: LiveThread, job: RunJob): Promise<void> => {
    let hasBegun = false
    const onProgress = (share: number): void => {
      hasBegun = true
      if (!isOver) listener.progressed(job, share)
    }
    try {
      const row = await thread.current().call('run', { job, registry }, { onProgress })
      if (!isOver) listener.finished(job, row)
    } catch (error) {
      if (isOver) return
      // A thread that cannot start would fail every run.
      if (!hasBegun) throw error
      listener.failed(job, error as Error)
    }
  }
  signal?.addEventListener('abort', stop, { once: true })
  try {
    await Promise.all(
      threads.map(async (thread) => {
        for (const job of pending) if (!isOver) await runOne(thread, job)
      }),
    )
  } finally {
    signal?.removeEventListener('abort', stop)
    await stop()
  }
}

type LiveThread = ReturnType<typeof createLiveThread>

/** A thread that is started when needed, and again after a run ended it, by lack of memory for instance. */
function createLiveThread() {
  let thread: Thread<WorkerCalls> | null = null
  return {
    current(): Thread<WorkerCalls> {
      if (thread?.isAlive() !== true) {
        thread = connectThread<WorkerCalls>(new Worker(sibling('worker')), 'a thread for runs')
      }
      return thread
    },
    end: async (): Promise<void> => thread?.end(),
  }
}
