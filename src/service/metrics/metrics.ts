// Figures of a running service. Rolling ones are over the last slates of a variant or a policy.

export interface ServiceMetrics {
  readonly window: number
  readonly variants: readonly (Figures & VariantKind)[]
  readonly policies: readonly Figures[]
  readonly series: readonly SeriesPoint[]
}

/** What a variant is made of; null of one that the settings do not have, but the log has. */
export interface VariantKind {
  /** The name of its exploration policy. */
  readonly policy: string | null
  readonly method: string | null
}

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
 * One stretch of time, for charts: of a second in the last ten minutes, of ten seconds before, back to
 * an hour ago. Stretches in which nothing happened are left out.
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

export interface VariantComparison {
  readonly models: 'own' | 'shared'
  /** What the comparison does and does not say. */
  readonly measures: string
  readonly variants: readonly (VariantFigure & VariantKind)[]
  /** Each variant against the first. */
  readonly differences: readonly VariantDifference[]
}

export interface VariantFigure {
  readonly variant: string
  readonly users: number
  readonly slates: number
  /** Mean reward a slate with its 95 % interval; users, not slates, are what was randomised. */
  readonly reward: number | null
  readonly interval: readonly [low: number, high: number] | null
}

export interface VariantDifference {
  readonly variant: string
  readonly against: string
  readonly difference: number | null
  readonly interval: readonly [low: number, high: number] | null
}
