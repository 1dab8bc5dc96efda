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
  /** True unless set; without it items are picked by the other terms, and still explained by it. */
  readonly relevanceCounts?: boolean
  readonly sequential: boolean
  readonly tieSeed: number
  /** Items that may not be picked, beside those that the pool bars. */
  readonly without?: ReadonlySet<number>
}

// The bonus is computed from A's factor, which every pick changes in O(d²) roundings; this share
// of the largest norm is far more than they can add up to. The score is then the sum of its terms,
// which rounds by at most a few units in the last place of the largest score.
const BONUS_SLACK = 2 ** -33
const SUM_SLACK = 2 ** -50

function slackOf({ pool, user, diversityWeight, uncertaintyWeight }: PickRequest): number {
  const longest = Math.sqrt(user.reduce((sum, value) => sum + value * value, 0))
  let unknown = 0
  for (const value of pool.uncertainty.values) if (value > unknown) unknown = value
  const largest = (longest + diversityWeight) * pool.largestNorm + uncertaintyWeight * unknown
  return BONUS_SLACK * diversityWeight * pool.largestNorm + SUM_SLACK * largest
}

export function pickFrom(engine: Engine, workspace: Workspace, request: PickRequest): ScoredItem[] {
  const { pool, diversityWeight, uncertaintyWeight, sequential, tieSeed } = request
  const { items, labels, norms, uncertainty, bounds } = pool
  const { rows, columns } = items
  const count = Math.min(request.count, rows)
  const user = workspace.matrix('user', 1, columns)
  const { relevanceCounts = true } = request
  user.values.set(request.user)
  requireAllFinite(engine, 'userEmbedding', user)
  requireAllFinite(engine, 'uncertainty', uncertainty)
  if (!relevanceCounts) user.values.fill(0)
  // An empty history is one visit to the zero vector: it adds nothing to A.
  const visits = Math.max(1, request.history.length / columns)
  const history = workspace.matrix('history', visits, columns)
  if (request.history.length === 0) history.values.fill(0)
  else history.values.set(request.history)
  const weights = { diversityWeight, uncertaintyWeight }
  engine.trusted.scoreBounds({ ...weights, items, user, norms, uncertainty, bounds })
  requireFiniteBounds(engine, bounds)
  const never = bounds.values
  for (const row of pool.barred) never[row] = NEVER
  if (request.without !== undefined) barItems(never, labels.values, rows, request.without)
  const picks = workspace.indices('picks', new Int32Array(count))
  const terms = workspace.matrix('terms', count, 3)
  const picked = engine.trusted.pickSlate({
    ...weights,
    sequential,
    slack: sequential ? slackOf(request) : 0,
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
    const [relevance, diversity, unknown] = [0, 1, 2].map((term) => terms.values[3 * place + term]!)
    const item = labels.values[picks.values[place]!]!
    const bonus = diversityWeight * diversity! + uncertaintyWeight * unknown!
    return {
      item,
      score: relevance! + bonus,
      relevance: relevanceCounts ? relevance! : dotOf(pool, picks.values[place]!, request.user),
      diversity: diversity!,
      uncertainty: unknown!,
    }
  })
}

function dotOf({ items }: Pool, row: number, user: Float32Array): number {
  const from = row * items.columns
  return user.reduce((sum, value, j) => sum + value * items.values[from + j]!, 0)
}

/** Finite vectors can be so long that no score can be told from another. */
function requireFiniteBounds(engine: Engine, bounds: Tensor): void {
  if (engine.trusted.allFinite({ x: bounds }) === 1) return
  throw new RenError(
    'non-finite-result',
    'the scores overflowed: embeddings, the user embedding or a weight are too large',
  )
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
