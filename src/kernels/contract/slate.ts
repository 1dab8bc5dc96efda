// Picking a slate by REN's score, exactly:
//   score_k = μ_kᵀθ + λ_d·√(μ_kᵀA⁻¹μ_k) + λ_u·σ_k   with A = I + Σ hhᵀ over the history.
//
// √(μᵀA⁻¹μ) ≤ ‖μ‖ and only falls as A grows. So one pass bounds every score from above, and the
// exact form is needed only for items whose bound reaches what has been found.

import {
  flag,
  indicesOutput,
  input,
  labels,
  output,
  scalar,
  scratch,
  seed,
  size,
  sizesOf,
  weight,
} from '../signature.ts'

/** A bound this low says that the item may not be picked. */
export const NEVER = -3.4028234663852886e38

/** Floats of scratch memory: four vectors in float64, and 36 bytes a row for two heaps and a sample. */
export const slateScratch = (rows: number, columns: number): number => 8 * columns + 9 * rows

/** Floats that W takes: it is in float64. */
export const slateWhitening = (columns: number): number => 2 * columns * columns

export const slate = {
  /** bounds[k] ≥ score_k for every item, by a float32 pass that carries its rounding slack. */
  scoreBounds: [
    ...sizesOf('items'),
    scalar('diversityWeight', weight),
    scalar('uncertaintyWeight', weight),
    input('items', 'rows', 'columns'),
    input('user', 1, 'columns'),
    input('norms', 1, 'rows'),
    input('uncertainty', 1, 'rows'),
    output('bounds', 1, 'rows'),
  ],
  /**
   * The best items by exact float64 score, ties by the smaller hash of (tieSeed, label). With
   * `sequential`, A grows by μμᵀ after each pick. `slack` is at least what rounding can add to a
   * score when A grows. `whitening` is left with the W of A as it was at the last pick; `onward` says
   * that it came with one, and that the history is what A has not seen yet. Writes each pick's relevance, diversity and uncertainty, and returns how
   * many there are: fewer than asked for where the rest may NEVER be picked.
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
    input('items', 'rows', 'columns'),
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
