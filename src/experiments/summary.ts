// What the runs of a plan amount to: means over seeds with their standard errors, and differences
// between methods paired by seed.

/** A mean over seeds. */
export interface Estimate {
  readonly mean: number
  /** Of the mean; 0 where there is one run. */
  readonly standardError: number
  readonly count: number
}

export interface MethodSummary {
  readonly panel: string
  readonly method: string
  readonly at: readonly number[]
  readonly series: Readonly<Record<string, readonly Estimate[]>>
  readonly measures: Readonly<Record<string, Estimate>>
}

/** The first method minus the second on the same seeds, with a 95 % interval (Student's t). */
export interface Comparison {
  readonly panel: string
  readonly measure: string
  readonly method: string
  readonly against: string
  readonly difference: Estimate
  readonly lower: number
  readonly upper: number
}

export interface Summary {
  readonly plan: string
  readonly methods: readonly MethodSummary[]
  readonly comparisons: readonly Comparison[]
}
