// The best rows of a pool by REN's score: one bound for each row, then a search among the bounds.

import { RenError } from '../core/errors.ts'
import { NEVER } from '../kernels/index.ts'
import type { Engine, Tensor, Workspace } from '../kernels/index.ts'
import { createSearch } from './narrow-search.ts'
import { rowOf } from './pool.ts'
import type { Pool } from './pool.ts'
import type { ScoredItem } from './policy.ts'
import type { ScoreTerms } from './run-slate.ts'

export interface PickRequest extends Omit<ScoreTerms, 'slack' | 'history' | 'user'> {
  readonly pool: Pool
  readonly count: number
  /** θ (d values). */
  readonly user: Float32Array
  /** μ of the whole catalogue, and which of its rows were visited. */
  readonly table: Tensor
  readonly visits: Int32Array
  /** True unless set; without it items are picked by the other terms, and still explained by it. */
  readonly relevanceCounts?: boolean
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

export type PickFrom = (request: PickRequest) => ScoredItem[]

export function createPickFrom(engine: Engine, workspace: Workspace): PickFrom {
  const search = createSearch(engine, workspace.within('search'))

  return (request) => {
    const { pool, diversityWeight, uncertaintyWeight, sequential, tieSeed } = request
    const { relevanceCounts = true } = request
    const { items, norms, uncertainty, bounds } = pool
    const user = workspace.matrix('user', 1, items.columns)
    user.values.set(request.user)
    requireAllFinite(engine, 'userEmbedding', user)
    if (!relevanceCounts) user.values.fill(0)
    const weights = { diversityWeight, uncertaintyWeight }
    engine.trusted.scoreBounds({ ...weights, items, user, norms, uncertainty, bounds })
    requireFiniteBounds(engine, pool)
    barRows(request)
    const terms = {
      ...weights,
      user,
      history: historyOf(engine, workspace, request),
      sequential,
      tieSeed,
      slack: sequential ? slackOf(request) : 0,
    }
    const picks = search(pool, terms, Math.min(request.count, items.rows))
    return picks.map(({ row, relevance, ...pick }) => ({
      ...pick,
      relevance: relevanceCounts ? relevance : dotOf(items, row, request.user),
    }))
  }
}

/** The vectors of the visited items; an empty history is one visit to the zero vector. */
function historyOf(engine: Engine, workspace: Workspace, { table, visits }: PickRequest): Tensor {
  const history = workspace.matrix('history', Math.max(1, visits.length), table.columns)
  if (visits.length === 0) history.values.fill(0)
  else {
    const indices = workspace.indices('visits', visits)
    engine.trusted.gather({ table, indices, out: history })
  }
  return history
}

function dotOf({ values, columns }: Tensor, row: number, user: Float32Array): number {
  const from = row * columns
  return user.reduce((sum, value, j) => sum + value * values[from + j]!, 0)
}

/** Finite vectors can be so long that no score can be told from another. */
function requireFiniteBounds(engine: Engine, { bounds, uncertainty }: Pool): void {
  if (engine.trusted.allFinite({ x: bounds }) === 1) return
  requireAllFinite(engine, 'uncertainty', uncertainty)
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

function barRows({ pool, without }: PickRequest): void {
  const bounds = pool.bounds.values
  for (const row of pool.barred) bounds[row] = NEVER
  for (const item of without ?? []) {
    const row = rowOf(pool, item)
    if (row >= 0) bounds[row] = NEVER
  }
}
