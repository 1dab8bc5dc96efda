// The seam between what was seen of the items and the policies: evidence in, ‖σ_k‖∞ per item out.

/** Evidence on each item, one value per item. A new kind of evidence is a new optional field. */
export interface Evidence {
  /** n_k: how often the item was shown, to anybody. */
  readonly impressions: Float32Array
  /** How often the item was taken with a reward above 0, by anybody. */
  readonly takes?: Float32Array
  /** ‖σ_k‖∞ as a model learned it. */
  readonly deviations?: Float32Array
}

/** One array of what an estimator has gathered, row by row. */
export interface SavedTensor {
  readonly shape: readonly number[]
  readonly data: Float32Array | Float64Array | Int32Array
}

/** All that an estimator has gathered, by names of its own. */
export type SavedEvidence = ReadonlyMap<string, SavedTensor>

export interface UncertaintyEstimator {
  readonly name: string
  /**
   * What an estimator promises, so that what it said can be kept. `shown`: the value of an item moves
   * only when that item's n_k changes or it is observed. `counts`: also when its takes change.
   * `weights`: no value moves unless the weights
   * do, and then any may. Without a promise every event may move every value, and a request after
   * one costs a pass over the catalog.
   */
  readonly movedBy?: 'shown' | 'counts' | 'weights'
  /** Another number whenever values have moved in any other way. */
  readonly generation?: number
  /**
   * Writes ‖σ_k‖∞ of every item into `out`; where `items` are given, at least of those, and
   * the rest of `out` stays as it is or is brought up to date too.
   */
  estimate(evidence: Evidence, out: Float32Array, items?: Int32Array): void
  /** For estimators that gather evidence of their own: the item was shown to a user at θ. */
  observe?(item: number, userEmbedding: Float32Array): void
  /** For the same: new items at the end of the catalog. */
  addItems?(count: number): void
  /** For the same: what was gathered, for snapshots. */
  save?(): SavedEvidence
  /**
   * Puts what `save` gave in the place of what was gathered; where that is nothing, keeps this.
   * Either way the estimator then knows `itemCount` items, however many it was made for.
   */
  restore?(saved: SavedEvidence, itemCount: number): void
}
