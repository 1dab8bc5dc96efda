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

export interface RunProgress {
  /** From 0 to 1; null where nobody knows. */
  readonly share: number | null
  readonly message: string
  /** What there is to see of it so far, as plain JSON. */
  readonly data?: unknown
}

/** An experiment or another run, in the words of whoever runs it. */
export interface RunRequest {
  readonly kind: string
  readonly settings: Readonly<Record<string, unknown>>
}

export type RunRunner = Runner<RunRequest>

export interface ImportRequest {
  /** What the log is called, such as the name of its file. */
  readonly name: string
  readonly format: 'csv' | 'jsonl'
  readonly text: string
}

export type Importer = Runner<ImportRequest>
