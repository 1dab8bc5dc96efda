// The catalogue in two dimensions, for the eye: the two principal axes of one model's embeddings.

export interface ItemMapRequest {
  /** Whose model; the first unless set. */
  readonly group?: string
  /** Most items; an even sample is taken where there are more. */
  readonly limit: number
  /** An attribute to tell items apart by. */
  readonly attribute?: string
  /** Whose taste is to be on it; a user of another group is an error. */
  readonly user?: string
}

/** Columns of equal length, one entry an item. */
export interface ItemMap {
  readonly group: string
  readonly modelVersion: number
  /** Items in the catalogue. */
  readonly count: number
  readonly items: readonly string[]
  readonly x: readonly number[]
  readonly y: readonly number[]
  /** In this group. */
  readonly impressions: readonly number[]
  /** Before its weight. */
  readonly uncertainty: readonly number[]
  /** What the attribute says of each item, as text; null where it says nothing, or none was asked for. */
  readonly category: readonly (string | null)[] | null
  /** The share of the embeddings' variance that each axis shows. */
  readonly variance: readonly [x: number, y: number]
  /** θ on the same axes; null where nobody was asked for. */
  readonly user: { readonly x: number; readonly y: number } | null
}
