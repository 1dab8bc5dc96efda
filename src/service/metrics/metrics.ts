// Figures of a running service. Rolling ones are over the last slates of a variant or a policy.

/** Rolling figures of a service by variant and by policy, and a series for charts. */
export interface ServiceMetrics {
  readonly window: number
  readonly variants: readonly (Figures & VariantKind)[]
  readonly policies: readonly Figures[]
  readonly series: readonly SeriesPoint[]
}

/** The model and the policy of a variant; null if only the log knows the variant. */
export interface VariantKind {
  /** The name of its exploration policy. */
  readonly policy: string | null
  readonly method: string | null
}

/** Rolling figures of one variant or policy. A figure is null if there is no data for it. */
export interface Figures {
  readonly name: string
  readonly slates: number
  /** Mean total reward of a slate. */
  readonly reward: number | null
  /** The share of slates of which something was taken. */
  readonly clickRate: number | null
  /** The share of the catalog that was served in the window. */
  readonly coverage: number | null
  /** Of the impressions over the catalog: 0 where all are shown alike, near 1 where one item has all. */
  readonly gini: number | null
  /** The mean share of an item's score that is not relevance. */
  readonly explorationShare: number | null
}

/**
 * One interval of a chart: one second in the last ten minutes, ten seconds before that, up to one
 * hour ago. Intervals without events are absent.
 */
export interface SeriesPoint {
  /** When it began, in milliseconds since 1970. */
  readonly time: number
  /** How long it is. */
  readonly seconds: number
  readonly variant: string
  readonly slates: number
  readonly reward: number
  readonly clicks: number
}

/** The comparison of the variants of an A/B test. */
export interface VariantComparison {
  readonly models: 'own' | 'shared'
  /** What the comparison does and does not say. */
  readonly measures: string
  readonly variants: readonly (VariantFigure & VariantKind)[]
  /** Each variant against the first. */
  readonly differences: readonly VariantDifference[]
}

/** The mean reward of a variant, with its 95 % confidence interval. */
export interface VariantFigure {
  readonly variant: string
  readonly users: number
  readonly slates: number
  /** Mean reward a slate with its 95 % interval; users, not slates, are what was randomised. */
  readonly reward: number | null
  readonly interval: readonly [low: number, high: number] | null
}

/** The difference in reward between two variants, with its 95 % confidence interval. */
export interface VariantDifference {
  readonly variant: string
  readonly against: string
  readonly difference: number | null
  readonly interval: readonly [low: number, high: number] | null
}
