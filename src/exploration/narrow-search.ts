// Which rows of a field the slate kernel has to look at: its exact scores are dear. Those with the
// best bounds are scored first. What they reach, any other row must reach with its bound; the rows
// that do are bounded anew, more tightly, and scored. The slate is that of the whole, bit by bit.

import { NEVER, whiteningOf } from '../kernels/index.ts'
import type { Engine, Tensor, Workspace } from '../kernels/index.ts'
import type { ScoredItem } from './policy.ts'
import { runSlate } from './run-slate.ts'
import type { Field, RowPicked, ScoreTerms } from './run-slate.ts'

export type Search = (field: Field, terms: ScoreTerms, count: number) => RowPicked[]

/** About so many rows are scored first, or so many for each that is wanted. */
const FIRST = 128
const FIRST_EACH = 8
/** How many bounds of a sample stand for those, and how large the sample is at most. */
const SAMPLED = 8
const MOST_SAMPLED = 8192
const MOST_LOOKS = 3
/** A tighter bound costs a seventh of an exact score, and 100 µs in all: from here on it pays. */
const TIGHTEN = 512
/** Each visit makes bounds tighter and costs 2 µs. */
const TIGHT_VISITS = 64
/** More than the terms of a pick, which are float32, can differ from its exact score. */
const ROUNDING = 2 ** -22

export function createSearch(engine: Engine, workspace: Workspace): Search {
  const run = (field: Field, terms: ScoreTerms, count: number) =>
    runSlate(engine, workspace, field, terms, count)

  function runAmong(whole: Field, rows: Int32Array, terms: ScoreTerms, count: number) {
    const part = gathered(engine, workspace, whole, rows)
    const picks = run(tightenedWhereItPays(part, terms), terms, count)
    for (const pick of picks) pick.row = rows[pick.row]!
    return picks
  }

  function tightenedWhereItPays(field: Field, terms: ScoreTerms): Field {
    const pays = field.items.rows > TIGHTEN && terms.diversityWeight > 0
    return pays ? tightened(engine, workspace, field, terms) : field
  }

  return (whole, terms, count) => {
    const { rows } = whole.items
    const first = Math.max(FIRST, FIRST_EACH * count)
    // A look at a long sequential slate costs nearly as much as the slate.
    const pays = rows > 4 * first && (first === FIRST || !terms.sequential)
    let least = pays ? leadingBound(engine, workspace, whole.bounds, first) : NEVER
    // Once more is enough for a top slate. In a sequential one, other picks may leave less to the
    // last than the first look found.
    for (let look = 0; look < MOST_LOOKS && least > NEVER; look++) {
      const leading = rowsFrom(whole.bounds.values, least)
      if (leading.length < count || 2 * leading.length > rows) break
      const picks = runAmong(whole, leading, terms, count)
      const reached = leastScore(picks, terms)
      if (reached >= least) return picks
      least = reached
    }
    return run(pays ? tightenedWhereItPays(whole, terms) : whole, terms, count)
  }
}

/** What about `count` of the bounds reach, or more of very many; NEVER where none is found. */
function leadingBound(engine: Engine, workspace: Workspace, bounds: Tensor, count: number): number {
  const stride = Math.max(Math.floor(count / SAMPLED), Math.ceil(bounds.columns / MOST_SAMPLED))
  const scores = workspace.matrix('sample', 1, Math.floor(bounds.columns / stride))
  const indices = workspace.indices('leading', new Int32Array(SAMPLED))
  const values = workspace.matrix('leading bounds', 1, SAMPLED)
  const [all, sample] = [bounds.values, scores.values]
  for (let i = 0; i < sample.length; i++) sample[i] = all[i * stride]!
  engine.trusted.topN({ scores, indices, values })
  return values.values[SAMPLED - 1]!
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
  const { length } = bounds
  let rows = new Int32Array(1024)
  let count = 0
  for (let row = 0; row < length; row++) {
    if (!(bounds[row]! >= least)) continue
    if (count === rows.length) rows = doubled(rows)
    rows[count++] = row
  }
  return rows.subarray(0, count)
}

function doubled(rows: Int32Array): Int32Array<ArrayBuffer> {
  const more = new Int32Array(2 * rows.length)
  more.set(rows)
  return more
}

/**
 * These rows as a field of their own. It ends in rows that are NEVER picked, so that fields of
 * about the same length are equally long, and lie in the same memory.
 */
function gathered(engine: Engine, workspace: Workspace, whole: Field, some: Int32Array): Field {
  const rows = new Int32Array(2 ** Math.ceil(Math.log2(some.length)))
  rows.set(some)
  const indices = workspace.indices('rows', rows)
  const items = workspace.matrix('items', rows.length, whole.items.columns)
  engine.trusted.gather({ table: whole.items, indices, out: items })
  const column = (name: 'norms' | 'uncertainty' | 'bounds'): Tensor => {
    const out = workspace.matrix(name, 1, rows.length)
    const [from, to] = [whole[name].values, out.values]
    for (let i = 0; i < rows.length; i++) to[i] = from[rows[i]!]!
    return out
  }
  const [norms, uncertainty, bounds] = [column('norms'), column('uncertainty'), column('bounds')]
  bounds.values.fill(NEVER, some.length)
  const names = whole.labels.values
  for (let i = 0; i < rows.length; i++) rows[i] = names[rows[i]!]!
  return { items, labels: workspace.indices('labels', rows), norms, uncertainty, bounds }
}

/**
 * The same field with √(μᵀA⁻¹μ) = ‖Wμ‖ by a float32 pass in the place of ‖μ‖. As ‖W‖ ≤ 1, that pass
 * is wrong by less than `long`·√d·‖μ‖. scoreBounds takes the norm for the size of the relevance's
 * own error too, so that is added. A of some of the visits bounds that of all. For λ_d above 0.
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
  const last = history.values.subarray(Math.max(0, history.rows - TIGHT_VISITS) * d)
  const visits = Array.from({ length: last.length / d }, (_, v) =>
    last.subarray(v * d, (v + 1) * d),
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
