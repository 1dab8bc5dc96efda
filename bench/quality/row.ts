// The contract of a row in the table of bars. Each protocol has its own file; quality.bench.ts runs
// them, prints their figures with their bars, and records runs on the test split.

export type SplitName = 'test' | 'validation'

/** `start` is 60 s after the start of the service, `trained` is after its first full training run. */
export type Stage = 'start' | 'trained'

export interface RowOptions {
  readonly split: SplitName
  readonly stages: readonly Stage[]
  readonly seeds: readonly number[]
  /** The folder of the datasets. */
  readonly data: string
  /** An empty folder, removed after the run. */
  readonly folder: string
  /** Limits users, sessions, lists or rounds in trial runs, which are never recorded. */
  readonly limit: number
  /** More arguments of `ren serve`. */
  readonly serve: readonly string[]
  /** The checkout whose `ren serve` is measured; defaults to this one. */
  readonly root?: string
  /** Seconds from the first answer to the first measurement. */
  readonly settleSeconds: number
  /** Flags of a single protocol, such as `histories`. */
  readonly flags: ReadonlySet<string>
  /** Reports progress. */
  readonly progress: (message: string) => void
}

export interface QualityFigure {
  readonly name: string
  readonly value: number
  /** Standard error of the value. */
  readonly error?: number
  readonly bar?: Bar
  /** A note on the value. */
  readonly note?: string
}

/** `slack` is the tolerance of the limit, such as two standard errors. */
export interface Bar {
  readonly at: '≥' | '≤'
  readonly limit: number
  readonly slack?: number
}

export interface StageResult {
  /** Null if the row has no stages. */
  readonly stage: Stage | null
  readonly figures: readonly QualityFigure[]
}

export interface QualityRow {
  readonly title: string
  readonly seeds: Readonly<Record<SplitName, readonly number[]>>
  /** Yields the results of a stage as soon as they are available. */
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
