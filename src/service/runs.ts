// Long jobs and the demo that a server offers. The program that starts the server provides the
// implementations, so that the service does not depend on experiments or simulation.

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

/** The progress of a run or an import. */
export interface RunProgress {
  /** From 0 to 1; null if unknown. */
  readonly share: number | null
  /** The progress in one line. */
  readonly message: string
  /** The number of finished parts, such as the runs of an experiment. */
  readonly done?: number
  readonly total?: number
  /** Null while there is no estimate. */
  readonly secondsLeft?: number | null
  /** The part that runs now. */
  readonly current?: string
  /** The results so far, as plain JSON. */
  readonly data?: unknown
}

/** A run to start, such as an experiment. The runner defines the kinds and their settings. */
export interface RunRequest {
  readonly kind: string
  readonly settings: Readonly<Record<string, unknown>>
}

/** Runs experiments for `POST /v1/runs`. */
export type RunRunner = Runner<RunRequest>

/** A log to import, as text. */
export interface ImportRequest {
  /** The name of the log, such as its file name. */
  readonly name: string
  readonly format: 'csv' | 'jsonl'
  readonly text: string
}

/** Imports a log for `POST /v1/imports`. */
export type Importer = Runner<ImportRequest>

/** The state of the demo, a world of simulated users, and the results of its variants. */
export interface Demo {
  readonly state: 'running' | 'paused' | 'over'
  /** A description of the world. */
  readonly world: string
  /** Rounds per variant. */
  readonly rounds: number
  readonly variants: readonly DemoVariant[]
}

/** One policy of the demo, in its own copy of the world. */
export interface DemoVariant {
  readonly variant: string
  /** The display name of the policy, such as REN. Variants with the same policy differ in the seed. */
  readonly policy: string
  readonly seed: number
  /** The rounds at which the curves have points. */
  readonly at: readonly number[]
  /** The mean reward of the last rounds, at each point. */
  readonly reward: readonly number[]
  /** The cumulative regret since the first round, at each point. */
  readonly regret: readonly number[]
}

/** Reads the state of a demo, and pauses or resumes it. */
export interface DemoControl {
  describe(): Demo
  set(state: 'running' | 'paused'): void
}
