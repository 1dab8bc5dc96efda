// A log of what a policy showed and the rewards that followed, in columns, for off-policy estimators.

/** Row `r` is one action shown at one position, with the chance that it would be. */
export interface BanditLog {
  /** The action shown, from 0 to `actionCount` − 1. */
  readonly actions: Int32Array
  readonly rewards: Float32Array
  /** The logging policy's chance of the action shown, above 0 and at most 1. */
  readonly propensities: Float64Array
  /** Where the action was shown, from 0 to `positionCount` − 1. */
  readonly positions: Int32Array
  /** To whom or when: the row's index into `contextNames`. */
  readonly contexts: Int32Array
  readonly actionCount: number
  readonly positionCount: number
  /** Name of each context index. */
  readonly contextNames: readonly string[]
}
