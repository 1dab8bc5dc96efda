// One call of the slate kernel: the best rows of a pool by REN's score.

import { RenError } from '../core/errors.ts'
import { NEVER, slateScratch } from '../kernels/index.ts'
import type { Engine, Tensor, Workspace } from '../kernels/index.ts'
import type { Pool } from './pool.ts'
import type { ScoredItem } from './policy.ts'

export interface PickRequest {
  readonly pool: Pool
  readonly count: number
  /** θ (d values). */
  readonly user: Float32Array
  /** Vectors of the visited items (visits·d values). */
  readonly history: Float32Array
  readonly diversityWeight: number
  readonly uncertaintyWeight: number
  readonly sequential: boolean
  readonly tieSeed: number
  /** Items that may not be picked, beside those that the pool bars. */
  readonly without?: ReadonlySet<number>
}

// The bonus is computed from A's factor, which every pick changes in O(d²) roundings; this share
// of the largest norm is far more than they can add up to.
const SLACK = 2 ** -33

export function pickFrom(engine: Engine, workspace: Workspace, request: PickRequest): ScoredItem[] {
  const { pool, diversityWeight, uncertaintyWeight, sequential, tieSeed } = request
  const { items, labels, norms, uncertainty, bounds } = pool
  const { rows, columns } = items
  const count = Math.min(request.count, rows)
  const user = workspace.matrix('user', 1, columns)
  user.values.set(request.user)
  requireAllFinite(engine, 'userEmbedding', user)
  requireAllFinite(engine, 'uncertainty', uncertainty)
  // An empty history is one visit to the zero vector: it adds nothing to A.
  const visits = Math.max(1, request.history.length / columns)
  const history = workspace.matrix('history', visits, columns)
  if (request.history.length === 0) history.values.fill(0)
  else history.values.set(request.history)
  const weights = { diversityWeight, uncertaintyWeight }
  engine.trusted.scoreBounds({ ...weights, items, user, norms, uncertainty, bounds })
  const never = bounds.values
  for (const row of pool.barred) never[row] = NEVER
  if (request.without !== undefined) barItems(never, labels.values, rows, request.without)
  const picks = workspace.indices('picks', new Int32Array(count))
  const terms = workspace.matrix('terms', count, 3)
  const picked = engine.trusted.pickSlate({
    ...weights,
    sequential,
    slack: SLACK * diversityWeight * pool.largestNorm,
    tieSeed,
    items,
    user,
    history,
    uncertainty,
    bounds,
    labels,
    scratch: workspace.matrix('scratch', 1, slateScratch(rows, columns)),
    picks,
    terms,
  })
  return Array.from({ length: picked }, (_, place) => {
    const [relevance, diversity, unknown] = terms.values.subarray(3 * place) as unknown as [
      number,
      number,
      number,
    ]
    return {
      item: labels.values[picks.values[place]!]!,
      score: relevance + diversityWeight * diversity + uncertaintyWeight * unknown,
      relevance,
      diversity,
      uncertainty: unknown,
    }
  })
}

function requireAllFinite(engine: Engine, name: string, x: Tensor): void {
  if (engine.trusted.allFinite({ x }) === 1) return
  const at = x.values.findIndex((value) => !Number.isFinite(value))
  throw new RenError('non-finite-input', `${name}[${at}] is ${x.values[at]}`)
}

/** Bars items by name: the whole catalogue has item k in row k, a gathered pool must be searched. */
function barItems(
  bounds: Float32Array,
  labels: Int32Array,
  rows: number,
  items: ReadonlySet<number>,
): void {
  for (const item of items) {
    const row = item < rows && labels[item] === item ? item : labels.indexOf(item)
    if (row >= 0) bounds[row] = NEVER
  }
}
