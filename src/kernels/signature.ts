// The types and helpers with which contract.ts declares the parameters of a kernel.

export type { IndexTensor, Tensor } from '../core/types.ts'

/** Sizes and flags (0 or 1) of one call, by name. */
export type Sizes = Readonly<Record<string, number>>

/** The arguments of a call, from which sizes are derived. */
export interface Given {
  rows(tensor: string): number
  columns(tensor: string): number
  length(list: string): number
  /** Returns a flag (0 or 1), or an earlier size. */
  size(name: string): number
}

export interface Size<N extends string, G extends boolean> {
  readonly kind: 'size'
  readonly name: N
  /** Null if the caller passes the size, because no shape determines it. */
  readonly from: G extends true ? null : (given: Given) => number
  /** A size that this one must divide. */
  readonly divides?: string
}
/** The allowed values of a scalar, bounds included. */
export interface Range {
  readonly min: number
  readonly max: number
  readonly integer: boolean
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
  /** The number of rows, from the first, that must be finite when the kernel starts. */
  readonly finiteRows: (sizes: Sizes) => number
}
export interface Indices<N extends string> {
  readonly kind: 'indices' | 'indices-output' | 'labels'
  readonly name: N
  readonly length: (sizes: Sizes) => number
  /** Every index lies in [0, bound). Labels have no bound. */
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

/** A size that the caller passes. It may have to divide another size. */
export const stated = <N extends string>(name: N, divides?: string): Size<N, true> => ({
  kind: 'size',
  name,
  from: null,
  ...(divides !== undefined && { divides }),
})
/** A size that is derived from the arguments. */
export const size = <N extends string>(
  name: N,
  from: (given: Given) => number,
): Size<N, false> => ({ kind: 'size', name, from })
/** The sizes `rows` and `columns` of a matrix. */
export const sizesOf = (tensor: string) =>
  [
    size('rows', (given) => given.rows(tensor)),
    size('columns', (given) => given.columns(tensor)),
  ] as const
export const flag = <N extends string>(name: N): Flag<N> => ({ kind: 'flag', name })

/** A number within a range. Most kernels use float32, so it must be finite in float32. */
export const scalar = <N extends string>(name: N, range: Partial<Range> = {}): Scalar<N> => ({
  kind: 'scalar',
  name,
  range: { min: -LARGEST, max: LARGEST, integer: false, ...range },
})
/** Zero or more. */
export const weight: Partial<Range> = { min: 0 }
/** Above zero, also after rounding to float32. */
export const positive: Partial<Range> = { min: 2 ** -126 }
/** Zero or more and below one, also after rounding to float32. */
export const fraction: Partial<Range> = { min: 0, max: 1 - 2 ** -24 }
/** Any unsigned 32-bit integer. */
export const seed: Partial<Range> = { min: 0, max: 2 ** 32 - 1, integer: true }

/** Matrices of one kind. Their shape defaults to the sizes `rows` × `columns`. */
const matrixOf =
  (kind: Matrix<string>['kind']) =>
  <N extends string>(
    name: N,
    rows: Dimension = 'rows',
    columns: Dimension = 'columns',
    finiteRows: Dimension = kind === 'input' || kind === 'update' ? rows : 0,
  ): Matrix<N> => {
    const [r, c] = [dimension(rows), dimension(columns)]
    return { kind, name, shape: (sizes) => [r(sizes), c(sizes)], finiteRows: dimension(finiteRows) }
  }

/** A matrix that the kernel only reads. */
export const input = matrixOf('input')
/** A matrix that the kernel overwrites. */
export const output = matrixOf('output')
/** A matrix that the kernel writes after reading its first `finiteRows` rows. */
export const update = matrixOf('update')
/** Temporary memory of the kernel. */
export const scratch = matrixOf('scratch')

const listOf =
  (kind: Indices<string>['kind']) =>
  <N extends string>(name: N, length: Dimension, bound: Dimension = Infinity): Indices<N> => ({
    kind,
    name,
    length: dimension(length),
    bound: dimension(bound),
  })

/** Row numbers that the kernel reads. */
export const indices = listOf('indices')
/** Row numbers that the kernel writes. */
export const indicesOutput = listOf('indices-output')
/** Arbitrary integers, not row numbers. */
export const labels = listOf('labels')

function dimension(d: Dimension): (sizes: Sizes) => number {
  if (typeof d === 'function') return d
  return typeof d === 'number' ? () => d : (sizes) => sizes[d]!
}
