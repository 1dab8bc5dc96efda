// The best rows of a pool by REN's score: an upper bound for each row, then one call of the slate
// kernel, which scores exactly only the rows whose bounds reach the slate.

import { RenError } from '../core/errors.ts'
import { NEVER, slateWhitening, slateScratch } from '../kernels/index.ts'
import type { Engine, Tensor, Workspace } from '../kernels/index.ts'
import { createWhiteningCache } from './whitening-cache.ts'
import type { Past, ScoredItem } from '../core/types.ts'
import { rowOf } from './pool.ts'
import type { Pool, Field } from './pool.ts'
import { requireFinite } from './requirements.ts'

export interface PickRequest extends Pick<
  ScoreTerms,
  'diversityWeight' | 'uncertaintyWeight' | 'sequential' | 'tieSeed'
> {
  readonly pool: Pool
  readonly count: number
  /** θ (d values). */
  readonly user: Float32Array
  /** μ of the whole catalog, and which of its rows were visited. */
  readonly table: Tensor
  readonly tableVersion: number
  readonly visits: Int32Array
  /** What those visits are known by, where something may be kept of them. */
  readonly past: Past | undefined
  /** Defaults to true. If false, the other terms pick the items, and the term still explains them. */
  readonly relevanceCounts?: boolean
  /** Items that may not be picked, beside those that the pool bars. */
  readonly without?: ReadonlySet<number>
  /** The pool's bounds are those of relevance for this user, from the pick before: they are raised. */
  readonly raises?: boolean
}

// The bonus is computed from A's factor, which every pick changes in O(d²) roundings; this share
// of the largest norm is far more than they can add up to. The score is then the sum of its terms,
// which rounds by at most a few units in the last place of the largest score.
const BONUS_SLACK = 2 ** -33
const SUM_SLACK = 2 ** -50

function slackOf(
  { pool, user, diversityWeight, uncertaintyWeight }: PickRequest,
  shifted: Tensor | undefined,
): number {
  const longest = Math.sqrt(user.reduce((sum, value) => sum + value * value, 0))
  const third = shifted
    ? largestSize(shifted.values)
    : uncertaintyWeight * largestSize(pool.uncertainty.values)
  const largest = (longest + diversityWeight) * pool.largestNorm + third
  return BONUS_SLACK * diversityWeight * pool.largestNorm + SUM_SLACK * largest
}

function largestSize(values: Float32Array): number {
  let largest = 0
  for (const value of values) if (Math.abs(value) > largest) largest = Math.abs(value)
  return largest
}

/**
 * Room for λ_u·σ + offset of every row. The kernels know one term beside the products, so this takes
 * its place with a weight of 1. Undefined where there are no offsets to add.
 */
function shiftedRoom(
  workspace: Workspace,
  { pool: { offsets }, relevanceCounts = true }: PickRequest,
): Tensor | undefined {
  if (offsets === undefined || !relevanceCounts) return undefined
  return workspace.matrix('shifted', 1, offsets.length)
}

function fillShifted({ values: out }: Tensor, { pool, uncertaintyWeight }: PickRequest): void {
  const offsets = pool.offsets!
  const sigma = pool.uncertainty.values
  if (uncertaintyWeight === 0) out.set(offsets)
  else for (let k = 0; k < out.length; k++) out[k] = uncertaintyWeight * sigma[k]! + offsets[k]!
}

export type PickFrom = (request: PickRequest) => ScoredItem[]

export function createPickFrom(engine: Engine, workspace: Workspace): PickFrom {
  const cache = createWhiteningCache()
  return (request) => {
    const { pool, diversityWeight, uncertaintyWeight, sequential, tieSeed } = request
    const { relevanceCounts = true } = request
    const user = userOf(workspace, request)
    const shifted = shiftedRoom(workspace, request)
    fillBounds(engine, request, user, shifted)
    barRows(request)
    requireFiniteBounds(engine, pool)
    const { table, tableVersion: version, visits, past } = request
    const whitening = workspace.matrix('whitening', 1, slateWhitening(table.columns))
    const seen = past && { ...past, table, version, visits: visits.length }
    const known = seen ? cache.read(seen, whitening.values) : null
    const terms = {
      diversityWeight,
      uncertaintyWeight,
      shifted,
      onward: known !== null,
      whitening,
      history: vectorsOf(engine, workspace, table, visits.subarray(known ?? 0)),
      user,
      sequential,
      tieSeed,
      slack: sequential ? slackOf(request, shifted) : 0,
    }
    const count = Math.min(request.count, pool.items.rows)
    const picks = runSlate(engine, workspace, pool, terms, count)
    // The picks of a sequential slate are in its W, too.
    if (seen && !sequential && known !== visits.length) cache.store(seen, whitening.values)
    return relevanceCounts ? picks : picks.map((pick) => withRelevance(pick, request))
  }
}

/** θ, or zero where relevance does not count. */
function userOf(workspace: Workspace, { user, relevanceCounts = true }: PickRequest): Tensor {
  const tensor = workspace.matrix('user', 1, user.length)
  requireFinite('userEmbedding', user)
  if (relevanceCounts) tensor.values.set(user)
  else tensor.values.fill(0)
  return tensor
}

function withRelevance(pick: ScoredItem, { pool, user }: PickRequest): ScoredItem {
  const row = rowOf(pool, pick.item)
  return { ...pick, relevance: dotOf(pool.items, row, user) + (pool.offsets?.[row] ?? 0) }
}

/** Fills the bounds and, where there is one, the shifted term. */
function fillBounds(
  engine: Engine,
  request: PickRequest,
  user: Tensor,
  shifted: Tensor | undefined,
): void {
  const { pool, diversityWeight, uncertaintyWeight, raises = false } = request
  const { items, norms, uncertainty, bounds, packed } = pool
  if (raises) {
    // In one pass with the shifted term: either costs as much as the slate of a small catalog.
    raiseBounds(pool, { diversityWeight, uncertaintyWeight, shifted: shifted?.values })
    return
  }
  if (shifted) fillShifted(shifted, request)
  if (shifted && diversityWeight === 0 && isZero(user.values)) {
    // No product and no diversity: the shifted term is the score, so it needs no pass over the vectors.
    bounds.values.set(shifted.values)
    return
  }
  const third = shifted
    ? { uncertaintyWeight: 1, uncertainty: shifted }
    : { uncertaintyWeight, uncertainty }
  const given = { diversityWeight, ...third, user, norms, bounds }
  if (packed === undefined) engine.trusted.scoreBounds({ ...given, items })
  else engine.trusted.packedBounds({ ...given, ...packed })
}

function isZero(values: Float32Array): boolean {
  for (let i = 0; i < values.length; i++) if (values[i] !== 0) return false
  return true
}

/** The vectors of these items; of none, the zero vector, a visit that changes nothing. */
function vectorsOf(engine: Engine, workspace: Workspace, table: Tensor, items: Int32Array): Tensor {
  const vectors = workspace.matrix('history', Math.max(1, items.length), table.columns)
  if (items.length === 0) vectors.values.fill(0)
  else {
    const indices = workspace.indices('visits', items)
    engine.trusted.gather({ table, indices, out: vectors })
  }
  return vectors
}

function dotOf({ values, columns }: Tensor, row: number, user: Float32Array): number {
  const from = row * columns
  return user.reduce((sum, value, j) => sum + value * values[from + j]!, 0)
}

/** Refuses vectors so long that rounding makes all scores equal, among the items that may be picked. */
function requireFiniteBounds(engine: Engine, { bounds, uncertainty, offsets }: Pool): void {
  if (engine.trusted.allFinite({ x: bounds }) === 1) return
  requireFinite('uncertainty', uncertainty.values)
  if (offsets !== undefined) requireFinite('offsets', offsets)
  throw new RenError(
    'non-finite-result',
    'the scores overflowed: embeddings, the user embedding or a weight are too large',
  )
}

function barRows({ pool, without }: PickRequest): void {
  const bounds = pool.bounds.values
  const { barred } = pool
  for (let i = 0; i < barred.length; i++) bounds[barred[i]!] = NEVER
  for (const item of without ?? []) {
    const row = rowOf(pool, item)
    if (row >= 0) bounds[row] = NEVER
  }
}

/** What scores are made of. */
export interface ScoreTerms {
  readonly diversityWeight: number
  readonly uncertaintyWeight: number
  /** λ_u·σ + offset of every row, in place of λ_u·σ; absent where there are no offsets. */
  readonly shifted?: Tensor | undefined
  /** θ (1 × d). */
  readonly user: Tensor
  /** Vectors of the visited items (visits × d); where `onward`, of those that W has not seen yet. */
  readonly history: Tensor
  readonly onward: boolean
  /** Room for W. */
  readonly whitening: Tensor
  readonly sequential: boolean
  readonly tieSeed: number
  /** At least what rounding can add to a score when A grows. */
  readonly slack: number
}

/** One call of the slate kernel; picks at most as many as there are rows. */
export function runSlate(
  engine: Engine,
  workspace: Workspace,
  field: Field,
  terms: ScoreTerms,
  count: number,
): ScoredItem[] {
  const { items, labels, uncertainty, bounds } = field
  const picks = workspace.list(nameFor('picks', count), count)
  const out = workspace.matrix(nameFor('terms', count), count, 3)
  const scratch = workspace.matrix('scratch', 1, slateScratch(items.rows, items.columns))
  const { diversityWeight, uncertaintyWeight, shifted } = terms
  const picked = engine.trusted.pickSlate({
    sequential: terms.sequential,
    onward: terms.onward,
    diversityWeight,
    uncertaintyWeight: shifted ? 1 : uncertaintyWeight,
    slack: terms.slack,
    tieSeed: terms.tieSeed,
    items,
    user: terms.user,
    history: terms.history,
    uncertainty: shifted ?? uncertainty,
    bounds,
    labels,
    whitening: terms.whitening,
    scratch,
    picks,
    terms: out,
  })
  return readPicks(field, terms, picks.values.subarray(0, picked), out.values)
}

/** The picked rows as items, from the three terms that the kernel wrote of each. */
function readPicks(
  { labels, uncertainty }: Field,
  { diversityWeight, uncertaintyWeight, shifted }: ScoreTerms,
  rows: Int32Array,
  values: Float32Array,
): ScoredItem[] {
  const [names, sigma] = [labels.values, uncertainty.values]
  const scored: ScoredItem[] = []
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place]!
    const product = values[3 * place]!
    const diversity = values[3 * place + 1]!
    const bonus = uncertaintyWeight * sigma[row]!
    const third = shifted ? values[3 * place + 2]! : bonus
    scored.push({
      item: names[row]!,
      score: product + (diversityWeight * diversity + third),
      diversity,
      uncertainty: sigma[row]!,
      // What rounding the shifted term has lost is in here, so that the terms add up to the score.
      relevance: shifted ? product + (third - bonus) : product,
    })
  }
  return scored
}

/** Up to so many picks, each number of them has room of its own. */
const maxOwnRoom = 32
const ownNames = {
  picks: Array.from({ length: maxOwnRoom + 1 }, (_, count) => `picks${count}`),
  terms: Array.from({ length: maxOwnRoom + 1 }, (_, count) => `terms${count}`),
}

/** A request picks twice, some leaders and then few items: one room for both would be allocated again each time. */
const nameFor = (what: keyof typeof ownNames, count: number): string =>
  count <= maxOwnRoom ? ownNames[what][count]! : what

interface Raise {
  readonly diversityWeight: number
  readonly uncertaintyWeight: number
  /** Takes λ_u·σ + offset of every row; undefined where there are no offsets. */
  readonly shifted: Float32Array | undefined
}

/** Of float32: the smallest number, and the length that a vector can lose when its squares underflow. */
const [smallest, underflow] = [2 ** -149, 5.3e-23]

/**
 * The pool's bounds are those of relevance with its offsets. Diversity is at most the norm; what
 * float32 has lost of the norm and what it loses of the sum is added, as in scoreBounds.
 */
function raiseBounds(pool: Pool, { diversityWeight, uncertaintyWeight, shifted }: Raise) {
  const { items } = pool
  const offsets = shifted && pool.offsets
  const [bounds, norms, sigma] = [pool.bounds.values, pool.norms.values, pool.uncertainty.values]
  const long = (items.columns + 16) * 2 ** -23
  const perNorm = diversityWeight * (1 + long)
  const lost = perNorm * Math.sqrt(items.columns) * underflow + 8 * smallest
  for (let row = 0; row < bounds.length; row++) {
    const bound = bounds[row]!
    const norm = perNorm * norms[row]!
    const bonus = uncertaintyWeight * sigma[row]!
    let before = 0
    let third = bonus
    if (offsets !== undefined) {
      before = offsets[row]!
      third = Math.fround(bonus + before)
      shifted![row] = third
    }
    const sizes = Math.abs(bound) + norm + Math.abs(third) + Math.abs(before)
    bounds[row] = bound + norm + (third - before) + 2 ** -22 * sizes + lost
  }
}
