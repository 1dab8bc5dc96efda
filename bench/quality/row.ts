// What a row of the table of bars is made of. Each protocol has a file of its own; quality.bench.ts
// runs them, prints their figures beside their bars and records runs on the test split.

export type SplitName = 'test' | 'validation'

/** `start` is 60 s after the service serves, `trained` after its first full training run. */
export type Stage = 'start' | 'trained'

export interface RowOptions {
  readonly split: SplitName
  readonly stages: readonly Stage[]
  readonly seeds: readonly number[]
  /** The folder of the data sets. */
  readonly data: string
  /** An empty folder, removed after the run. */
  readonly folder: string
  /** At most this many users, sessions, lists or rounds: for trying things out, never recorded. */
  readonly limit: number
  /** More arguments of `ren serve`. */
  readonly serve: readonly string[]
  /** The checkout whose `ren serve` is measured; defaults to this one. */
  readonly root?: string
  /** Seconds from the first answer to the first measurement. */
  readonly settleSeconds: number
  /** Flags of one protocol alone, such as `histories`. */
  readonly flags: ReadonlySet<string>
  /** Says how far the run is. */
  readonly progress: (message: string) => void
}

export interface QualityFigure {
  readonly name: string
  readonly value: number
  /** Standard error of the value. */
  readonly error?: number
  readonly bar?: Bar
  /** What the value alone does not say. */
  readonly note?: string
}

/** `slack` is what the value may miss the limit by, such as two standard errors. */
export interface Bar {
  readonly at: '≥' | '≤'
  readonly limit: number
  readonly slack?: number
}

export interface StageResult {
  /** Null where a row has no stages. */
  readonly stage: Stage | null
  readonly figures: readonly QualityFigure[]
}

export interface QualityRow {
  readonly title: string
  readonly seeds: Readonly<Record<SplitName, readonly number[]>>
  /** Yields the results of a stage as soon as they are there. */
  readonly run: (options: RowOptions) => AsyncGenerator<StageResult>
}

export const atLeast = (limit: number, slack = 0): Bar => ({ at: '≥', limit, slack })
export const atMost = (limit: number, slack = 0): Bar => ({ at: '≤', limit, slack })

export function isMet({ value, bar }: QualityFigure): boolean | null {
  if (bar === undefined) return null
  const { at, limit, slack = 0 } = bar
  return at === '≥' ? value >= limit - slack : value <= limit + slack
}

export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  const digits = Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 10 ? 2 : 4
  return value.toFixed(digits)
}
