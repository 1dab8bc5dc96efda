// Long jobs and the demo that a server offers. The program that starts the server provides the
// implementations, so that the service does not depend on experiments or simulation.

import type { Demo, ImportRequest, RunProgress, RunRequest } from './schemas/jobs.ts'

export type { Demo, DemoVariant, ImportRequest, RunProgress, RunRequest } from './schemas/jobs.ts'

/** Runs one job at a time. */
export interface Runner<Request> {
  /**
   * Resolves with the result as plain JSON. If it rejects with a RenError, the client sees the error.
   * When the signal aborts, it stops soon, and its result is ignored.
   */
  start(
    request: Request,
    onProgress: (progress: RunProgress) => void,
    signal: AbortSignal,
  ): Promise<unknown>
}

/** Runs experiments for `POST /v1/runs`. */
export type RunRunner = Runner<RunRequest>

/** Imports a log for `POST /v1/imports`. */
export type Importer = Runner<ImportRequest>

/** Reads the state of a demo, and pauses or resumes it. */
export interface DemoControl {
  /** Returns the state of the demo and the results of its variants. */
  describe(): Demo
  /** Pauses or resumes the demo. */
  set(state: 'running' | 'paused'): void
}
