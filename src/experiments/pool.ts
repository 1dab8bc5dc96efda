// Performs runs on a given number of threads. If there are fewer runs than threads, the engine of each run
// gets several.

import { Worker } from 'node:worker_threads'

import { usableThreads } from '../node/spawn-kernel-worker.ts'
import { Thread } from '../node/thread.ts'
import type { RunJob, RunRow } from './protocol.ts'
import { standardRegistry, sibling } from './registry.ts'
import type { WorkerCalls } from './worker.ts'

export interface PoolOptions {
  readonly workers: number
  /** The URL of the module with the protocols. Defaults to those of the package. */
  readonly registry?: string
  /** Stops all runs. */
  readonly signal?: AbortSignal
}

export interface RunListener {
  /** Called with a share of 0 when the run starts. */
  progressed(job: RunJob, share: number): void
  finished(job: RunJob, row: RunRow): void
  failed(job: RunJob, error: Error): void
}

/** Starts the runs in the given order. Resolves when all have ended or the signal aborts. */
export async function runJobs(
  jobs: readonly RunJob[],
  { workers, registry = standardRegistry, signal }: PoolOptions,
  listener: RunListener,
): Promise<void> {
  const pending = jobs.values()
  const threads = openThreads(workers, jobs.length, registry)
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
      const row = await thread.run(job, onProgress)
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

function openThreads(workers: number, runs: number, registry: string) {
  const threads = Math.max(1, Math.min(usableThreads(), Math.floor(workers / runs)))
  const length = Math.min(workers, runs)
  return Array.from({ length }, () => createLiveThread({ registry, threads }))
}

type LiveThread = ReturnType<typeof createLiveThread>

/** A thread that starts when needed, also again after a run has ended it, for example by lack of memory. */
function createLiveThread(options: { readonly registry: string; readonly threads: number }) {
  let thread: Thread<WorkerCalls> | null = null
  return {
    run(job: RunJob, onProgress: (share: number) => void): Promise<RunRow> {
      if (thread?.isAlive() !== true) {
        thread = new Thread<WorkerCalls>(new Worker(sibling('worker')), 'a thread for runs')
      }
      return thread.call('run', { job, ...options }, { onProgress })
    },
    end: async (): Promise<void> => thread?.end(),
  }
}
