// The seam between what was seen of the items and the policies: evidence in, ‖σ_k‖∞ per item out.

/** What is known of each item, one value an item. A new kind of evidence is a new optional field. */
export interface Evidence {
  /** n_k: how often the item was shown, to anybody. */
  readonly impressions: Float32Array
  /** ‖σ_k‖∞ as a model learned it. */
  readonly deviations?: Float32Array
}

export interface UncertaintyEstimator {
  readonly name: string
  /** Writes ‖σ_k‖∞ of every item into `out`. */
  estimate(evidence: Evidence, out: Float32Array): void
  /** For estimators that gather evidence of their own: the item was shown to a user at θ. */
  observe?(item: number, userEmbedding: Float32Array): void
  /** For the same: new items at the end of the catalogue. */
  addItems?(count: number): void
}
