// The best rows of a pool by REN's score: an upper bound for each row, then one call of the slate
// kernel, which scores exactly only the rows whose bounds reach the slate.

import { RenError } from '../core/errors.ts'
import { NEVER, WHITENING_BLOCK, slateWhitening, slateScratch } from '../kernels/index.ts'
import type { Engine, Tensor, Workspace } from '../kernels/index.ts'
import type { ScoredItem } from '../core/types.ts'
import { rowOf, type Pool, type Field } from './pool.ts'
import { requireFinite } from './requirements.ts'

export interface PickRequest extends Pick<
  ScoreTerms,
  'diversityWeight' | 'uncertaintyWeight' | 'sequential' | 'tieSeed'
> {
  readonly pool: Pool
  readonly count: number
  /** θ (d values). */
  readonly user: Float32Array
  /** μ of the whole catalog, and which of its rows are in A. */
  readonly table: Tensor
  readonly tableVersion: number
  readonly visits: Int32Array
  /** Identifies the user whose W is cached; undefined if none is. */
  readonly userKey: object | undefined
  /** Defaults to true. If false, relevance is reported but does not count in the score. */
  readonly relevanceCounts?: boolean
  /** Items to exclude, besides the barred rows of the pool. */
  readonly without?: ReadonlySet<number>
  /** Whether the pool's bounds are bounds of this user's relevance, left by the previous pick. */
  readonly raises?: boolean
}

// Each pick updates the factor of A, from which the bonus is computed, with O(d²) roundings. Together
// they stay far below BONUS_SLACK times the largest norm. The sum of the terms rounds by a few units
// in the last place of the largest score.
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
 * A vector for λ_u·σ + offset of every row. The kernels add one term to the products, so with offsets
 * this vector takes the place of σ, with weight 1. Undefined without offsets.
 */
function allocateShifted(
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
    const shifted = allocateShifted(workspace, request)
    fillBounds(engine, workspace, request, user, shifted)
    barRows(request)
    requireFiniteBounds(engine, pool)
    const { table, tableVersion: version, visits, userKey } = request
    const whitening = workspace.matrix('whitening', 1, slateWhitening(table.columns))
    const key = userKey && { user: userKey, table, version, visits }
    const included = key ? cache.read(key, whitening.values) : null
    const terms = {
      diversityWeight,
      uncertaintyWeight,
      shifted,
      onward: included !== null,
      whitening,
      history: vectorsOf(engine, workspace, table, visits.subarray(included ?? 0)),
      user,
      sequential,
      tieSeed,
      slack: sequential ? slackOf(request, shifted) : 0,
    }
    const count = Math.min(request.count, pool.items.rows)
    const picks = runSlate(engine, workspace, pool, terms, count)
    // The W of a sequential slate includes its picks.
    if (key && !sequential && included !== visits.length) cache.store(key, whitening.values)
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

/** Computes the bounds and, with offsets, the shifted term. */
function fillBounds(
  engine: Engine,
  workspace: Workspace,
  request: PickRequest,
  user: Tensor,
  shifted: Tensor | undefined,
): void {
  const { pool, diversityWeight, uncertaintyWeight, raises = false } = request
  const { items, norms, uncertainty, bounds, packed } = pool
  if (raises) {
    const term = shifted ?? workspace.matrix('raised', 1, items.rows)
    if (shifted) term.values.set(pool.offsets!)
    else term.values.fill(0)
    const weights = { columns: items.columns, diversityWeight, uncertaintyWeight }
    engine.trusted.raiseBounds({ ...weights, norms, uncertainty, shifted: term, bounds })
    return
  }
  if (shifted) fillShifted(shifted, request)
  if (shifted && diversityWeight === 0 && user.values.every((value) => value === 0)) {
    // Without products and diversity the shifted term is the score.
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

/** The vectors of the items; a zero vector, which leaves A unchanged, if there are none. */
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

/** Throws if the scores of items that may be picked overflow. */
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

/** Arguments of the score. */
export interface ScoreTerms {
  readonly diversityWeight: number
  readonly uncertaintyWeight: number
  /** λ_u·σ + offset of every row, in place of λ_u·σ; absent without offsets. */
  readonly shifted?: Tensor | undefined
  /** θ (1 × d). */
  readonly user: Tensor
  /** Vectors of the visited items (visits × d); with `onward`, only of those that W does not include. */
  readonly history: Tensor
  readonly onward: boolean
  /** Memory for W. */
  readonly whitening: Tensor
  readonly sequential: boolean
  readonly tieSeed: number
  /** An upper bound of what rounding can add to a score when A grows. */
  readonly slack: number
}

/** Calls the slate kernel; returns fewer picks than `count` if there are fewer rows. */
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
  const { shifted, ...given } = terms
  const picked = engine.trusted.pickSlate({
    ...given,
    uncertaintyWeight: shifted ? 1 : given.uncertaintyWeight,
    uncertainty: shifted ?? uncertainty,
    items,
    bounds,
    labels,
    scratch,
    picks,
    terms: out,
  })
  return readPicks(field, terms, picks.values.subarray(0, picked), out.values)
}

/** Converts picked rows to items with the three terms that the kernel wrote for each. */
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
      // Includes the rounding error of the shifted term, so that the terms add up to the score.
      relevance: shifted ? product + (third - bonus) : product,
    })
  }
  return scored
}

/** Up to this number of picks, each count has its own buffers. */
const maxOwnBuffers = 32
const ownNames = {
  picks: Array.from({ length: maxOwnBuffers + 1 }, (_, count) => `picks${count}`),
  terms: Array.from({ length: maxOwnBuffers + 1 }, (_, count) => `terms${count}`),
}

/** A request picks twice with different counts; one shared buffer would be reallocated each time. */
const nameFor = (what: keyof typeof ownNames, count: number): string =>
  count <= maxOwnBuffers ? ownNames[what][count]! : what

// Caches the whitening matrix W of A_t for recently served users until the item table changes. A new
// visit then costs one update in O(d²).

/** Identifies a W: a user, the version of the item table, and the rows of it that W includes. */
interface WhiteningKey {
  readonly user: object
  readonly table: Tensor
  readonly version: number
  readonly visits: Int32Array
}

const maxBytes = 8 * 2 ** 20

interface Slot {
  key: WhiteningKey | null
  readonly values: Float32Array
}

/** Creates a cache that replaces its oldest entry when it is full. */
export function createWhiteningCache() {
  let slots: Slot[] = []
  let next = 0
  const slotOf = new WeakMap<object, Slot>()

  const find = (user: object): Slot | undefined => {
    const slot = slotOf.get(user)
    return slot?.key?.user === user ? slot : undefined
  }

  function newSlot(length: number): Slot {
    if (slots[0]?.values.length !== length) slots = []
    const capacity = Math.max(1, Math.floor(maxBytes / (4 * length)))
    next = slots.length < capacity ? slots.length : (next + 1) % capacity
    return (slots[next] ??= { key: null, values: new Float32Array(length) })
  }

  return {
    /**
     * Copies the cached W into `whitening` and returns how many of the visits it includes. Returns
     * null if W must be computed from all visits, because the first ones were dropped or a late reward
     * has joined them.
     */
    read({ user, table, version, visits }: WhiteningKey, whitening: Float32Array): number | null {
      const slot = find(user)
      const cached = slot?.key
      if (cached?.table !== table || cached.version !== version) return null
      if (!continues(visits, cached.visits) || slot!.values.length !== whitening.length) return null
      // A new whole block is factored with all the blocks before it.
      const included = cached.visits.length
      if (included < visits.length - (visits.length % WHITENING_BLOCK)) return null
      whitening.set(slot!.values)
      return included
    },
    /** Stores a copy of W and of its visits. */
    store(key: WhiteningKey, whitening: Float32Array): void {
      const cached = find(key.user)
      const slot = cached?.values.length === whitening.length ? cached : newSlot(whitening.length)
      slot.key = { ...key, visits: key.visits.slice() }
      slot.values.set(whitening)
      slotOf.set(key.user, slot)
    },
  }
}

function continues(list: Int32Array, start: Int32Array): boolean {
  if (start.length > list.length) return false
  for (let i = 0; i < start.length; i++) if (start[i] !== list[i]) return false
  return true
}
