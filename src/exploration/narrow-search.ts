// Which rows of a field the slate kernel has to look at: its exact scores are dear. Those with the
// best bounds are scored first. What they reach, any other row must reach with its bound; the rows
// that do are bounded anew, more tightly, and scored. The slate is that of the whole, bit by bit.

import { NEVER, whiteningOf } from '../kernels/index.ts'
import type { Engine, Tensor, Workspace } from '../kernels/index.ts'
import type { ScoredItem } from './policy.ts'
import { runSlate } from './run-slate.ts'
import type { Field, RowPicked, ScoreTerms } from './run-slate.ts'

export type Search = (field: Field, terms: ScoreTerms, count: number) => RowPicked[]

/** So many rows are scored first, or so many for each that is wanted. */
const FIRST = 256
const FIRST_EACH = 8
/** A tighter bound costs a seventh of an exact score, and 100 µs in all: from here on it pays. */
const TIGHTEN = 512
/** More than the terms of a pick, which are float32, can differ from its exact score. */
const ROUNDING = 2 ** -22

export function createSearch(engine: Engine, workspace: Workspace): Search {
  const run = (field: Field, terms: ScoreTerms, count: number) =>
    runSlate(engine, workspace, field, terms, count)

  function runAmong(whole: Field, rows: Int32Array, terms: ScoreTerms, count: number) {
    const part = gathered(engine, workspace, whole, rows)
    const picks = run(tightenedWhereItPays(part, terms), terms, count)
    return picks.map((pick) => ({ ...pick, row: rows[pick.row]! }))
  }

  function tightenedWhereItPays(field: Field, terms: ScoreTerms): Field {
    const pays = field.items.rows > TIGHTEN && terms.diversityWeight > 0
    return pays ? tightened(engine, workspace, field, terms) : field
  }

  return (whole, terms, count) => {
    const first = Math.max(FIRST, FIRST_EACH * count)
    if (whole.items.rows <= 2 * first) return run(whole, terms, count)
    const { rows, least } = bestBounds(engine, workspace, whole.bounds, first)
    const picks = runAmong(whole, rows, terms, count)
    const reached = leastScore(picks, terms)
    if (least === NEVER || reached > least) return picks
    const others = rowsFrom(whole.bounds.values, reached)
    if (2 * others.length < whole.items.rows) {
      const more = runAmong(whole, others, terms, count)
      // In a sequential slate other picks before may leave less to the last.
      if (!terms.sequential || leastScore(more, terms) >= reached) return more
    }
    return run(tightenedWhereItPays(whole, terms), terms, count)
  }
}

/** The rows with the greatest bounds, and the least of those: no other row has a greater one. */
function bestBounds(engine: Engine, workspace: Workspace, scores: Tensor, count: number) {
  const indices = workspace.indices('leading', new Int32Array(count))
  const values = workspace.matrix('leading bounds', 1, count)
  engine.trusted.topN({ scores, indices, values })
  return { rows: indices.values.slice(), least: values.values[count - 1]! }
}

/** What every one of the picks reaches at least. */
function leastScore(
  picks: readonly ScoredItem[],
  { diversityWeight, uncertaintyWeight }: ScoreTerms,
): number {
  return picks.reduce((least, { score, relevance, diversity, uncertainty }) => {
    const bonus = diversityWeight * diversity + uncertaintyWeight * Math.abs(uncertainty)
    return Math.min(least, score - ROUNDING * (Math.abs(relevance) + bonus))
  }, Infinity)
}

function rowsFrom(bounds: Float32Array, least: number): Int32Array {
  const rows = new Int32Array(bounds.length)
  let count = 0
  for (let row = 0; row < bounds.length; row++) if (bounds[row]! >= least) rows[count++] = row
  return rows.subarray(0, count)
}

/** These rows as a field of their own. */
function gathered(engine: Engine, workspace: Workspace, whole: Field, rows: Int32Array): Field {
  const indices = workspace.indices('rows', rows)
  const items = workspace.matrix('items', rows.length, whole.items.columns)
  engine.trusted.gather({ table: whole.items, indices, out: items })
  const names = whole.labels.values
  const labels = workspace.indices(
    'labels',
    rows.map((row) => names[row]!),
  )
  const column = (name: 'norms' | 'uncertainty' | 'bounds'): Tensor => {
    const out = workspace.matrix(name, 1, rows.length)
    const [from, to] = [whole[name].values, out.values]
    for (let i = 0; i < rows.length; i++) to[i] = from[rows[i]!]!
    return out
  }
  return {
    items,
    labels,
    norms: column('norms'),
    uncertainty: column('uncertainty'),
    bounds: column('bounds'),
  }
}

/**
 * The same field with √(μᵀA⁻¹μ) = ‖Wμ‖ by a float32 pass in the place of ‖μ‖. As ‖W‖ ≤ 1, that pass
 * is wrong by less than `long`·√d·‖μ‖. scoreBounds takes the norm for the size of the relevance's
 * own error too, so that is added. For λ_d above 0.
 */
function tightened(
  engine: Engine,
  workspace: Workspace,
  field: Field,
  { diversityWeight, uncertaintyWeight, user, history }: ScoreTerms,
): Field {
  const { items, uncertainty } = field
  const { rows, columns: d } = items
  const whitening = workspace.matrix('whitening', d, d)
  const norms = workspace.matrix('tight norms', 1, rows)
  const bounds = workspace.matrix('tight bounds', 1, rows)
  const visits = Array.from({ length: history.rows }, (_, v) =>
    history.values.subarray(v * d, (v + 1) * d),
  )
  whitening.values.set(whiteningOf(d, visits))
  engine.trusted.quadraticForms({ x: items, whitening, out: norms })
  const long = (d + 16) * 2 ** -22
  const width = Math.sqrt(user.values.reduce((sum, value) => sum + value * value, 0))
  const perNorm = long * (Math.sqrt(d) + width / diversityWeight)
  const [tight, loose] = [norms.values, field.norms.values]
  for (let row = 0; row < rows; row++) {
    const root = (1 + long) * Math.sqrt(tight[row]!)
    tight[row] = Math.min(loose[row]!, root + perNorm * loose[row]!)
  }
  const weights = { diversityWeight, uncertaintyWeight }
  engine.trusted.scoreBounds({ ...weights, items, user, norms, uncertainty, bounds })
  const [before, after] = [field.bounds.values, bounds.values]
  for (let row = 0; row < rows; row++) after[row] = Math.min(before[row]!, after[row]!)
  return { ...field, norms, bounds }
}
