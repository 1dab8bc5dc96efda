// The vocabulary in which contract.ts describes a kernel's parameters.

export type { IndexTensor, Tensor } from '../core/types.ts'

/** Sizes and flags (0 or 1) of one call, by name. */
export type Sizes = Readonly<Record<string, number>>

/** What the caller gave, for a size to read itself off. */
export interface Given {
  rows(tensor: string): number
  columns(tensor: string): number
  length(list: string): number
  /** A flag (0 or 1), or a size that stands before this one. */
  size(name: string): number
}

export interface Size<N extends string, G extends boolean> {
  readonly kind: 'size'
  readonly name: N
  /** Null where the caller states the size because no shape tells it. */
  readonly from: G extends true ? null : (given: Given) => number
  /** A size that this one must divide. */
  readonly divides?: string
}
/** What a scalar may be, ends included. */
export interface Range {
  readonly least: number
  readonly most: number
  readonly whole: boolean
}
export interface Flag<N extends string> {
  readonly kind: 'flag'
  readonly name: N
}
export interface Scalar<N extends string> {
  readonly kind: 'scalar'
  readonly name: N
  readonly range: Range
}
export interface Matrix<N extends string> {
  readonly kind: 'input' | 'output' | 'update' | 'scratch'
  readonly name: N
  readonly shape: (sizes: Sizes) => readonly [rows: number, columns: number]
  /** How many of its rows, from the first, must hold finite values when the kernel starts. */
  readonly finiteRows: (sizes: Sizes) => number
}
export interface Indices<N extends string> {
  readonly kind: 'indices' | 'indices-output' | 'labels'
  readonly name: N
  readonly length: (sizes: Sizes) => number
  /** Every index lies in [0, bound). */
  readonly bound: (sizes: Sizes) => number
}
export type Parameter =
  | Size<string, true>
  | Size<string, false>
  | Flag<string>
  | Scalar<string>
  | Matrix<string>
  | Indices<string>

/** A dimension: a size's name, a constant, or a formula over the sizes. */
export type Dimension = string | number | ((sizes: Sizes) => number)

/** The largest float32. */
const LARGEST = 3.4028234663852886e38

/** A size the caller states; it may have to divide another. */
export const stated = <N extends string>(name: N, divides?: string): Size<N, true> => ({
  kind: 'size',
  name,
  from: null,
  ...(divides !== undefined && { divides }),
})
/** A size read off the arguments. */
export const size = <N extends string>(
  name: N,
  from: (given: Given) => number,
): Size<N, false> => ({ kind: 'size', name, from })
/** The sizes `rows` and `columns`, read off one matrix. */
export const sizesOf = (tensor: string) =>
  [
    size('rows', (given) => given.rows(tensor)),
    size('columns', (given) => given.columns(tensor)),
  ] as const
export const flag = <N extends string>(name: N): Flag<N> => ({ kind: 'flag', name })

/** A number within a range; most kernels take it as float32, so it must at least survive as that. */
export const scalar = <N extends string>(name: N, range: Partial<Range> = {}): Scalar<N> => ({
  kind: 'scalar',
  name,
  range: { least: -LARGEST, most: LARGEST, whole: false, ...range },
})
/** Zero or more. */
export const weight: Partial<Range> = { least: 0 }
/** More than zero, also after rounding to float32. */
export const positive: Partial<Range> = { least: 2 ** -126 }
/** Zero or more and below one, also after rounding to float32. */
export const fraction: Partial<Range> = { least: 0, most: 1 - 2 ** -24 }
/** Any 32 bits. */
export const seed: Partial<Range> = { least: 0, most: 2 ** 32 - 1, whole: true }

/** A matrix the kernel only reads. */
export const input = <N extends string>(
  name: N,
  rows: Dimension,
  columns: Dimension,
  finiteRows = rows,
): Matrix<N> => matrix('input', name, rows, columns, finiteRows)
/** A matrix the kernel writes; what it held before does not matter. */
export const output = <N extends string>(name: N, rows: Dimension, columns: Dimension): Matrix<N> =>
  matrix('output', name, rows, columns, 0)
/** A matrix the kernel writes and of which it reads the first `finiteRows` rows. */
export const update = <N extends string>(
  name: N,
  rows: Dimension,
  columns: Dimension,
  finiteRows = rows,
): Matrix<N> => matrix('update', name, rows, columns, finiteRows)

/** Memory the kernel needs for itself; what it leaves there means nothing. */
export const scratch = <N extends string>(
  name: N,
  rows: Dimension,
  columns: Dimension,
): Matrix<N> => matrix('scratch', name, rows, columns, 0)

/** Row numbers the kernel reads. */
export const indices = <N extends string>(
  name: N,
  length: Dimension,
  bound: Dimension,
): Indices<N> => ({
  kind: 'indices',
  name,
  length: dimension(length),
  bound: dimension(bound),
})
/** Row numbers the kernel writes. */
export const indicesOutput = <N extends string>(
  name: N,
  length: Dimension,
  bound: Dimension,
): Indices<N> => ({ ...indices(name, length, bound), kind: 'indices-output' })

/** Integers that are names, not row numbers: they may be anything. */
export const labels = <N extends string>(name: N, length: Dimension): Indices<N> => ({
  ...indices(name, length, Number.POSITIVE_INFINITY),
  kind: 'labels',
})

function matrix<N extends string>(
  kind: Matrix<N>['kind'],
  name: N,
  rows: Dimension,
  columns: Dimension,
  finiteRows: Dimension,
): Matrix<N> {
  const [r, c] = [dimension(rows), dimension(columns)]
  return {
    kind,
    name,
    shape: (sizes) => [r(sizes), c(sizes)],
    finiteRows: dimension(finiteRows),
  }
}

function dimension(d: Dimension): (sizes: Sizes) => number {
  if (typeof d === 'function') return d
  return typeof d === 'number' ? () => d : (sizes) => sizes[d]!
}
