// What a user's visits say about each direction: the paper's A_t = I + Σ μμᵀ in float64, held as
// W = L⁻¹ of its Cholesky factor L (kernels/whitening.ts), so that μᵀA⁻¹μ = ‖Wμ‖² is a sum of squares, never negative.

import { RenError, shapeMismatch } from '../core/errors.ts'
import type { Random } from '../core/random.ts'
import type { Matrix } from '../core/types.ts'
import { bonus, growWhitening, whiten, whiteningOf } from '../kernels/index.ts'
import { choice, positiveInteger } from '../core/settings.ts'
import { requireIndices, requirePositiveInteger } from './requirements.ts'

/** A vector, or a table of them of which a row begins at some offset. */
type Vectors = Float32Array | Float64Array

/** The settings of policies with an A_t. */
export const designSettings = {
  designMatrix: choice(
    "Items in the user's matrix A_t: all with a reported reward, or those chosen with a reward above 0",
    ['reported', 'rewarded'],
    'reported',
  ),
  historyCap: positiveInteger('Number of last items of A_t to use; defaults to all'),
} as const

/**
 * The matrix A = I + Σ μμᵀ over the items of a user's history. REN's diversity bonus and the linear
 * policies read it.
 */
export interface DesignMatrix {
  /** The number d of values per embedding. */
  readonly dimension: number
  /** W (d × d, row-major, lower triangular) with A⁻¹ = WᵀW; a view that every change rewrites. */
  readonly whitening: Float64Array
  /** A = I. */
  reset(): void
  /** A = I + Σ scale²·μμᵀ over the visited rows of a table. O(visits·d²). */
  build(items: Matrix, visited: Int32Array, scale?: number): void
  /** A grows by xxᵀ. O(d²). */
  add(vectors: Vectors, offset?: number): void
  /** √(xᵀA⁻¹x): at most ‖x‖, and no larger after a visit than before. O(d²). */
  bonus(vectors: Vectors, offset?: number): number
  /** out = A⁻¹b; `out` may be `b`. */
  solve(b: Float64Array, out: Float64Array): void
  /** out ~ N(mean, scale²·A⁻¹). */
  sample(mean: Vectors, scale: number, random: Random, out: Float64Array): void
}

/** Creates a design matrix A = I for embeddings of `dimension` values. */
export function createDesignMatrix(dimension: number): DesignMatrix {
  requirePositiveInteger('dimension', dimension)
  const whitening = whiteningOf(dimension, [])
  const rowAt = (vectors: Vectors, offset: number): Vectors =>
    vectors.length === dimension ? vectors : vectors.subarray(offset, offset + dimension)

  return {
    dimension,
    whitening,
    reset: () => whitening.set(whiteningOf(dimension, [])),
    build(items, visited, scale = 1) {
      requireTable(items, visited, dimension)
      const { values } = items
      const rows = Array.from(visited, (item) => {
        const row = values.subarray(item * dimension, (item + 1) * dimension)
        return scale === 1 ? row : row.map((value) => scale * value)
      })
      whitening.set(whiteningOf(dimension, rows))
      if (whitening.every(Number.isFinite)) return
      throw new RenError('non-finite-input', 'the embedding of a visited item is not finite')
    },
    add: (vectors, offset = 0) => growWhitening(dimension, whitening, rowAt(vectors, offset)),
    bonus: (vectors, offset = 0) => bonus(dimension, whitening, rowAt(vectors, offset)),
    solve(b, out) {
      const whitened = whiten(dimension, whitening, b)
      out.fill(0)
      addTransposed(whitening, whitened, 1, out)
    },
    sample(mean, scale, random, out) {
      const normals = Float64Array.from(mean, () => random.normal())
      out.set(mean)
      addTransposed(whitening, normals, scale, out)
    },
  }
}

/** out += scale·Wᵀz for a lower triangular W. */
function addTransposed(w: Float64Array, z: Float64Array, scale: number, out: Float64Array): void {
  const d = z.length
  for (let i = 0; i < d; i++) {
    const factor = scale * z[i]!
    for (let j = 0; j <= i; j++) out[j]! += factor * w[i * d + j]!
  }
}

function requireTable(items: Matrix, visited: Int32Array, dimension: number): void {
  if (items.columns !== dimension) {
    throw shapeMismatch(`a design matrix of ${dimension} dimensions got items of ${items.columns}`)
  }
  requireIndices('visited', visited, items.rows)
}
