// The nouns that the folders share. A noun enters when two folders speak of it.

/** Dense row number of an item (k of the paper): 0 … itemCount − 1. */
export type ItemIndex = number

/** Dense float32 matrix in row-major order: element (i, j) is `values[i · columns + j]`. */
export interface Matrix {
  readonly rows: number
  readonly columns: number
  readonly values: Float32Array
}

/** One thing a user did: took `item` at `time` (milliseconds since 1970) and was worth `reward`. */
export interface Interaction {
  readonly item: ItemIndex
  readonly reward: number
  readonly time: number
}

/** By how much a count of an item is to change. */
export type CountChange = readonly [item: string, change: number]
