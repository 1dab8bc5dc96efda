// The worker thread of the pool: runs one job at a time.

import { serveCalls, type CallContext } from '../node/thread.ts'
import { roundRow, type RunJob, type RunRow } from './protocol.ts'
import { findProtocol } from './registry.ts'

export interface WorkerCalls {
  /** Reports the completed share from 0 to 1, starting with 0. */
  run(
    task: { readonly job: RunJob; readonly registry: string; readonly threads: number },
    context: CallContext<number>,
  ): Promise<RunRow>
}

const reportEveryMs = 100

serveCalls<WorkerCalls>({
  async run({ job, registry, threads }, { progress }) {
    let reportedAt = performance.now()
    progress(0)
    const protocol = await findProtocol(registry, job.protocol)
    const onProgress = (share: number): void => {
      if (performance.now() - reportedAt < reportEveryMs) return
      reportedAt = performance.now()
      progress(share)
    }
    const row = await protocol.run(job, onProgress, threads)
    return roundRow({ ...row, panel: job.panel, method: job.label, seed: job.seed })
  },
})
