// Long work that a server offers and others do: whoever starts the server hands in who does it.

/** Does one piece of work at a time. */
export interface Runner<Request> {
  /**
   * Resolves with the result, which is plain JSON. A RenError that it fails with is shown to whoever
   * asked. When the signal aborts, it stops soon, and what it answers is not looked at.
   */
  start(
    request: Request,
    onProgress: (progress: RunProgress) => void,
    signal: AbortSignal,
  ): Promise<unknown>
}

/** The progress of a run or an import. */
export interface RunProgress {
  /** From 0 to 1; null where nobody knows. */
  readonly share: number | null
  /** The progress in one line. */
  readonly message: string
  /** How many parts of the work, such as the runs of an experiment, have ended, of how many. */
  readonly done?: number
  readonly total?: number
  /** Null as long as there is no estimate. */
  readonly secondsLeft?: number | null
  /** The part that is under way. */
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
  /** What the log is called, such as the name of its file. */
  readonly name: string
  readonly format: 'csv' | 'jsonl'
  readonly text: string
}

/** Imports a log for `POST /v1/imports`. */
export type Importer = Runner<ImportRequest>

// A world of simulated users that runs against the service, as the page shows it. The caller that starts
// the server passes it in; the service does not depend on simulation.

/** The state of the demo and the results of its variants. */
export interface Demo {
  readonly state: 'running' | 'paused' | 'over'
  /** The world in words. */
  readonly world: string
  /** How many rounds each variant is to play. */
  readonly rounds: number
  readonly variants: readonly DemoVariant[]
}

/** One policy of the demo, in its own copy of the world. */
export interface DemoVariant {
  readonly variant: string
  /** In words of its own, such as REN; variants of one policy differ in the seed alone. */
  readonly policy: string
  readonly seed: number
  /** After which rounds the curves have a point. */
  readonly at: readonly number[]
  /** The mean reward of the last rounds. */
  readonly reward: readonly number[]
  /** What the best choices would have earned beyond what was earned, since the first round. */
  readonly regret: readonly number[]
}

/** Reads the state of a demo, and pauses or resumes it. */
export interface DemoControl {
  describe(): Demo
  set(state: 'running' | 'paused'): void
}
