// A worker thread of a pool: runs one job at a time.

import { serveCalls } from '../node/thread.ts'
import type { CallContext } from '../node/thread.ts'
import { roundRow } from './protocol.ts'
import type { RunJob, RunRow } from './protocol.ts'
import { findProtocol } from './registry.ts'

export interface WorkerCalls {
  /** Reports the share that is done, from 0 to 1; first 0, when the run begins. */
  run(task: RunTask, context: CallContext<number>): Promise<RunRow>
}

export interface RunTask {
  readonly job: RunJob
  readonly registry: string
}

/** Milliseconds between two reports of one run. */
const reportEvery = 100

serveCalls<WorkerCalls>({
  async run({ job, registry }, { progress }) {
    let reportedAt = performance.now()
    progress(0)
    const protocol = await findProtocol(registry, job.protocol)
    const row = await protocol.run(job, (share) => {
      if (performance.now() - reportedAt < reportEvery) return
      reportedAt = performance.now()
      progress(share)
    })
    return roundRow({ ...row, panel: job.panel, method: job.label, seed: job.seed })
  },
})
