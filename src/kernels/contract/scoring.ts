// Passes over all items, and the selection of the best.

import {
  indicesOutput,
  input,
  output,
  scalar,
  size,
  sizesOf,
  update,
  weight,
  flag,
  labels,
  scratch,
  seed,
  stated,
} from '../signature.ts'
import { WHITENING_BLOCK } from '../whitening.ts'

/** A score bound that excludes an item from the slate. */
export const NEVER = -3.4028234663852886e38

/**
 * Returns the number of floats of scratch memory of the slate kernel: four vectors, A and a block of
 * visits in float64; 28 bytes per row for a heap and its keys, with one float for every 16 rows; W
 * and four vectors in float32. Rows of matrices are padded to a multiple of eight columns.
 */
export const slateScratch = (rows: number, columns: number): number => {
  const wide = 8 * Math.ceil(columns / 8)
  const factoring = 2 * wide * (wide + WHITENING_BLOCK)
  return 8 * columns + factoring + 7 * rows + Math.ceil(rows / 16) + wide * (wide + 4) + 6
}

/**
 * Returns the number of floats that the whitening matrix W takes in the slate kernel. W is in
 * float64.
 */
export const slateWhitening = (columns: number): number => 2 * columns * columns

/**
 * The number of floats that a matrix of these sizes takes in 8-bit form: rows in blocks of four,
 * columns padded to a multiple of eight.
 */
export const packedSize = (rows: number, columns: number): number =>
  Math.ceil(rows / 4) * (4 + 8 * Math.ceil(columns / 8))

export const scoring = {
  /** out[i] = x_i·vector. */
  dotRows: [...sizesOf('x'), input('x'), input('vector', 1, 'columns'), output('out', 1, 'rows')],
  /** out[i] = ‖x_i‖. */
  rowNorms: [...sizesOf('x'), input('x'), output('out', 1, 'rows')],
  /** out[i] = ‖W x_i‖² with W = `whitening`; for W = L⁻¹ and A = L·Lᵀ this is x_iᵀA⁻¹x_i. */
  quadraticForms: [
    ...sizesOf('x'),
    input('x'),
    input('whitening', 'columns', 'columns'),
    output('out', 1, 'rows'),
  ],
  /**
   * forms[i] = max(0, forms[i] − scale·(x_i·direction)²): every x_iᵀA⁻¹x_i after A grew by jjᵀ,
   * for direction = A⁻¹j and scale = 1/(1 + jᵀA⁻¹j).
   */
  rankOneUpdate: [
    ...sizesOf('x'),
    scalar('scale', weight),
    input('x'),
    input('direction', 1, 'columns'),
    update('forms', 1, 'rows'),
  ],
  /** 1 if every value is finite, else 0. */
  allFinite: [...sizesOf('x'), input('x', 'rows', 'columns', 0)],

  // Picking a slate by REN's score, exactly:
  //   score_k = μ_kᵀθ + λ_d·√(μ_kᵀA⁻¹μ_k) + λ_u·σ_k   with A = I + Σ hhᵀ over the history.
  //
  // √(μᵀA⁻¹μ) ≤ ‖μ‖ and only falls as A grows. So one pass bounds every score from above, and the
  // exact form is needed only for items whose bound reaches what has been found.

  /**
   * Rows in 8 bits: bytes b with μ = scale·b + e, and at least ‖e‖ as error. The bytes are for
   * packedBounds alone.
   */
  packRows: [
    ...sizesOf('items'),
    input('items'),
    scratch('packed', 1, (s) => packedSize(s['rows']!, s['columns']!)),
    output('scales', 1, 'rows'),
    output('errors', 1, 'rows'),
  ],
  /**
   * As scoreBounds, from packed rows and the user in 7 bits: a quarter of the memory is read, for
   * looser bounds.
   */
  packedBounds: [
    size('rows', (g) => g.columns('norms')),
    size('columns', (g) => g.columns('user')),
    scalar('diversityWeight', weight),
    scalar('uncertaintyWeight', weight),
    input('packed', 1, (s) => packedSize(s['rows']!, s['columns']!), 0),
    input('scales', 1, 'rows'),
    input('errors', 1, 'rows'),
    input('user', 1, 'columns'),
    input('norms', 1, 'rows'),
    input('uncertainty', 1, 'rows'),
    output('bounds', 1, 'rows'),
  ],
  /** bounds[k] ≥ score_k for every item, by a float32 pass that carries its rounding slack. */
  scoreBounds: [
    ...sizesOf('items'),
    scalar('diversityWeight', weight),
    scalar('uncertaintyWeight', weight),
    input('items'),
    input('user', 1, 'columns'),
    input('norms', 1, 'rows'),
    input('uncertainty', 1, 'rows'),
    output('bounds', 1, 'rows'),
  ],
  /**
   * Turns bounds of μᵀθ + offset into bounds of scores, without another pass over the vectors:
   * bounds[k] += λ_d·‖μ_k‖ + λ_u·σ_k and what rounding may lose. `shifted` holds the offsets at the
   * start, and offset + λ_u·σ, the term of pickSlate, on return. `columns` is the length of μ.
   */
  raiseBounds: [
    size('rows', (g) => g.columns('norms')),
    stated('columns'),
    scalar('diversityWeight', weight),
    scalar('uncertaintyWeight', weight),
    input('norms', 1, 'rows'),
    input('uncertainty', 1, 'rows'),
    update('shifted', 1, 'rows'),
    update('bounds', 1, 'rows'),
  ],
  /**
   * The best items by exact float64 score, ties by the smaller hash of (tieSeed, label). With
   * `sequential`, A grows by μμᵀ after each pick. `slack` is at least what rounding can add to a
   * score when A grows. On return `whitening` holds the W of A at the last pick. With `onward` it
   * holds a W at the start, and `history` has only the visits that this W does not include yet.
   * Writes the relevance, diversity and uncertainty of each pick, and returns the number of picks:
   * fewer than `count` if the bounds of the other items are NEVER.
   */
  pickSlate: [
    flag('sequential'),
    flag('onward'),
    ...sizesOf('items'),
    size('visits', (g) => g.rows('history')),
    size('count', (g) => g.rows('terms')),
    scalar('diversityWeight', weight),
    scalar('uncertaintyWeight', weight),
    scalar('slack', weight),
    scalar('tieSeed', seed),
    input('items'),
    input('user', 1, 'columns'),
    input('history', 'visits', 'columns'),
    input('uncertainty', 1, 'rows'),
    input('bounds', 1, 'rows'),
    labels('labels', 'rows'),
    scratch('whitening', 1, (s) => slateWhitening(s['columns']!)),
    scratch('scratch', 1, (s) => slateScratch(s['rows']!, s['columns']!)),
    indicesOutput('picks', 'count', 'rows'),
    output('terms', 'count', 3),
  ],
} as const
