// The common part of policies: validates the decision, gathers the candidates, and turns picks into
// a slate: those with the best scores, where the request's hash breaks ties, or with random scores.

import { RenError } from '../core/errors.ts'
import type { Random } from '../core/random.ts'
import { nonNegativeInteger, readSettings } from '../core/settings.ts'
import type { Settings, SettingsInput, SettingsSchema } from '../core/settings.ts'
import type {
  Decision,
  ExplorationOverride,
  ExplorationPolicy,
  ItemIndex,
  ScoredItem,
  ScoreWeights,
} from '../core/types.ts'
import { tieHash, type Allocator, type Engine, type Tensor } from '../kernels/index.ts'
import { usualWeight, weightIn } from './exploration-weight.ts'
import { requireDecision } from './requirements.ts'

/** Creates a policy on an engine. `settings` is the schema of the policy's settings. */
export interface PolicyFactory<Schema extends SettingsSchema = SettingsSchema> {
  (engine: Engine, settings?: SettingsInput<Schema>): ExplorationPolicy
  /** The schema of the settings, with their descriptions, defaults and bounds. */
  readonly settings: Schema
}

/**
 * Declares a policy: its settings, and a function that creates it from complete, valid settings.
 */
export function definePolicy<const Schema extends SettingsSchema>(
  name: string,
  settings: Schema,
  create: (engine: Engine, settings: Settings<Schema>) => ExplorationPolicy,
): PolicyFactory<Schema> {
  const factory = (engine: Engine, given: SettingsInput<Schema> = {}) =>
    create(engine, readSettings(name, settings, given))
  return Object.assign(factory, { settings })
}

/** A validated decision, with its candidates and their relevance. */
export interface SlateRequest {
  /** The decision as the caller passed it, after validation. */
  readonly decision: Decision
  /** The items to pick from, and their embeddings. */
  readonly candidates: Candidates
  /** μᵀθ of every row. Rows that may be picked include the decision's offset. */
  readonly relevance: Float32Array
  /** The number of rows to pick, at most the number of eligible rows. */
  readonly count: number
  /** Breaks ties. */
  readonly seed: number
  /** The exploration weight of the request; 0.5 if the policy has none. */
  readonly explorationWeight: number
  /** The engine of the policy, for its kernels. */
  readonly engine: Engine
  /** Frees its tensors after the slate. */
  readonly temporary: Allocator
}

/** A picked row of the candidates and its score. An absent term is 0. */
export interface RowPick extends Partial<
  Pick<ScoredItem, 'diversity' | 'uncertainty' | 'experience' | 'boost' | 'propensity'>
> {
  /** The row in `embeddings` of the candidates. */
  readonly row: number
  /** The number by which the policy ranked the row. */
  readonly score: number
}

/** The abilities of a policy of {@link createSlatePolicy}. */
export interface SlatePolicyOptions {
  /**
   * The number of draws that propensities are estimated from; absent if they are exact or unknown.
   */
  readonly propensityDraws?: number
  /**
   * Set it if the policy picks with `bestPicks`. If it is absent, requests with boosts are refused.
   */
  readonly supportsBoosts?: true
  /** The weights of the terms, if scores are their weighted sum; absent otherwise. */
  readonly weights?: ScoreWeights
  /**
   * The exploration weight of requests without one. Set it if the policy reads the exploration weight of
   * its requests, or has nothing that such a weight could scale. If it is absent, requests with an
   * exploration weight are refused.
   */
  readonly explorationWeight?: number
}

/** The weights of a policy whose scores are relevance alone. */
export const relevanceAlone: ScoreWeights = {
  relevanceWeight: 1,
  diversityWeight: 0,
  uncertaintyWeight: 0,
}

/**
 * Creates a policy from a function that picks rows of the candidates. It validates each decision,
 * computes relevance, and turns the picks into a slate.
 *
 * @example
 * ```ts
 * import { bestPicks, createSlatePolicy } from 'ren-recommender/exploration'
 * import { createEngine } from 'ren-recommender/kernels'
 *
 * // Prefers items with few impressions.
 * const policy = createSlatePolicy(await createEngine(), 'newest', (request) => {
 *   const { candidates, decision } = request
 *   const scores = new Float32Array(candidates.embeddings.rows)
 *   for (const row of candidates.rows) scores[row] = -decision.impressions[candidates.itemOf(row)]!
 *   return bestPicks(request, scores)
 * })
 * ```
 */
export function createSlatePolicy(
  engine: Engine,
  name: string,
  pick: (request: SlateRequest) => readonly RowPick[],
  { propensityDraws = 0, weights, explorationWeight, ...abilities }: SlatePolicyOptions = {},
): ExplorationPolicy {
  return {
    name,
    ...abilities,
    ...(explorationWeight !== undefined && { supportsOverrides: true }),
    choose(decision, slateSize, override?: ExplorationOverride) {
      requireDecision(decision, slateSize)
      const requested = weightIn(name, override) ?? explorationWeight ?? usualWeight
      const opened = { decision, explorationWeight: requested, engine }
      const seed = decision.random.integer(2 ** 32)
      const eligible = eligibleItems(decision)
      if (eligible.length === 0) return { items: [], complete: false }
      return engine.scope((temporary) => {
        const candidates = openCandidates(engine, temporary, decision, eligible)
        const relevance = candidates.dot(decision.userEmbedding)
        addOffsets(decision, candidates, relevance)
        const count = Math.min(slateSize, eligible.length)
        const picks = pick({ ...opened, candidates, relevance, count, seed, temporary })
        const items = picks.map(({ row, ...terms }) => ({
          item: candidates.itemOf(row),
          relevance: relevance[row]!,
          diversity: 0,
          uncertainty: 0,
          ...terms,
        }))
        const complete = items.length === slateSize
        const draws = propensityDraws > 0 ? { propensityDraws } : {}
        return { items, complete, ...(weights && { weights }), ...draws }
      })
    },
  }
}

/** The items of one request. Scores are indexed by row of `embeddings`. */
export interface Candidates {
  /** The rows that may be picked, each once. */
  readonly rows: Int32Array
  /** The embeddings of the whole catalog, or of the given candidates. */
  readonly embeddings: Tensor
  itemOf(row: number): ItemIndex
  /** Returns μᵀv of every row. */
  dot(vector: ArrayLike<number>): Float32Array
}

/** From this share of candidates on (1 in 64), an array of marks is cheaper than a set. */
const MANY = 64

/** Returns the items that may be picked, in the given order and each once. */
export function eligibleItems({ items, candidates, excluded }: Decision): Int32Array {
  if (candidates !== null && candidates.length < items.rows / MANY) {
    const barred = new Set(excluded)
    return candidates.filter((item) => !barred.has(item) && barred.add(item))
  }
  const barred = new Uint8Array(items.rows)
  for (const item of excluded) barred[item] = 1
  if (candidates !== null) {
    return candidates.filter((item) => barred[item] === 0 && (barred[item] = 1))
  }
  const eligible = new Int32Array(items.rows)
  let count = 0
  for (let item = 0; item < items.rows; item++) if (barred[item] === 0) eligible[count++] = item
  return eligible.subarray(0, count)
}

/**
 * Opens the candidates of a decision. Listed candidates are copied, so that passes are short.
 *
 * @param eligible At least one item.
 */
export function openCandidates(
  engine: Engine,
  temporary: Allocator,
  { items, candidates: list }: Decision,
  eligible: Int32Array,
): Candidates {
  if (list === null) {
    return { rows: eligible, embeddings: items, itemOf: (row) => row, dot: dotWith(engine, items) }
  }
  const indices = temporary.indices('candidates', eligible.length)
  indices.values.set(eligible)
  const embeddings = temporary.matrix('candidates', eligible.length, items.columns)
  engine.trusted.gather({ table: items, indices, out: embeddings })
  return {
    rows: eligible.map((_, row) => row),
    embeddings,
    itemOf: (row) => eligible[row]!,
    dot: dotWith(engine, embeddings),
  }
}

/** Adds the decision's offsets to the scores of the rows that may be picked. */
export function addOffsets(
  { offsets, candidates }: Pick<Decision, 'offsets' | 'candidates'>,
  { rows, itemOf }: Pick<Candidates, 'rows' | 'itemOf'>,
  scores: Float32Array | Float64Array,
): void {
  if (offsets === undefined) return
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const item = candidates === null ? row : itemOf(row)
    const offset = offsets[item]!
    if (!Number.isFinite(offset)) {
      throw new RenError('non-finite-input', `offsets[${item}] is ${offset}`)
    }
    scores[row]! += offset
  }
}

const dotWith = (engine: Engine, x: Tensor) => (values: ArrayLike<number>) =>
  engine.scope((temporary) => {
    const vector = temporary.vector('vector', x.columns)
    const out = temporary.vector('products', x.rows)
    vector.values.set(values)
    engine.trusted.dotRows({ x, vector, out })
    // If a product is not finite, the checked call throws an error that names the value.
    if (engine.trusted.allFinite({ x: out }) !== 1) engine.operations.dotRows({ x, vector, out })
    return out.values.slice()
  })

/** One score per row of the candidates' embeddings. */
export type Scores = Float32Array | Float64Array

/** Returns the `count` best rows in falling order. O(rows·log count), and usually O(rows). */
export function bestRows(
  candidates: Pick<Candidates, 'rows' | 'itemOf'>,
  scores: Scores,
  count: number,
  seed: number,
): Int32Array {
  const best = new BestRows(candidates, count, seed)
  const { rows } = candidates
  for (let i = 0; i < rows.length; i++) {
    const score = scores[rows[i]!]!
    if (!(score < best.worst) || score === -Infinity) best.add(rows[i]!, score)
  }
  return best.rows()
}

/** The best of the rows so far, at most `count`; ties go to the smaller hash. */
export class BestRows {
  /** Rows with a lower score are not among the best: −∞ as long as there is room. */
  worst: number
  readonly #candidates: Pick<Candidates, 'itemOf'>
  readonly #seed: number
  /** A heap with the worst row on top. */
  readonly #rows: Int32Array
  readonly #scores: Float64Array
  #length = 0

  constructor(candidates: Pick<Candidates, 'itemOf'>, count: number, seed: number) {
    this.#candidates = candidates
    this.#seed = seed
    this.#rows = new Int32Array(count)
    this.#scores = new Float64Array(count)
    this.worst = count > 0 ? -Infinity : Infinity
  }

  /** Adds a row that is not below the worst. Throws if its score is not finite. */
  add(row: number, score: number): void {
    if (!Number.isFinite(score)) {
      const item = this.#candidates.itemOf(row)
      throw new RenError('non-finite-result', `the score of item ${item} is ${score}`)
    }
    if (this.#length < this.#rows.length) this.#append(row, score)
    else if (this.#length > 0 && this.#beats(row, score, 0)) this.#sink(0, row, score)
    if (this.#length === this.#rows.length && this.#length > 0) this.worst = this.#scores[0]!
  }

  /** The best rows in falling order. */
  rows(): Int32Array {
    const order = this.#rows.map((_, at) => at).subarray(0, this.#length)
    const beats = (a: number, b: number) => this.#beats(this.#rows[a]!, this.#scores[a]!, b)
    return order.toSorted((a, b) => (beats(a, b) ? -1 : 1)).map((at) => this.#rows[at]!)
  }

  #beats(row: number, score: number, other: number): boolean {
    const lead = score - this.#scores[other]!
    return lead > 0 || (lead === 0 && this.#hash(row) < this.#hash(this.#rows[other]!))
  }

  #hash(row: number): number {
    return tieHash(this.#seed, this.#candidates.itemOf(row))
  }

  #append(row: number, score: number): void {
    let at = this.#length++
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#beats(row, score, parent)) break
      this.#move(parent, at)
      at = parent
    }
    this.#rows[at] = row
    this.#scores[at] = score
  }

  #sink(from: number, row: number, score: number): void {
    const [rows, scores, length] = [this.#rows, this.#scores, this.#length]
    let at = from
    for (;;) {
      let child = 2 * at + 1
      if (child >= length) break
      if (child + 1 < length && this.#beats(rows[child]!, scores[child]!, child + 1)) child += 1
      if (!this.#beats(row, score, child)) break
      this.#move(child, at)
      at = child
    }
    rows[at] = row
    scores[at] = score
  }

  #move(from: number, to: number): void {
    this.#rows[to] = this.#rows[from]!
    this.#scores[to] = this.#scores[from]!
  }
}

/**
 * Picks the candidates with the highest scores plus boosts, in falling order; ties are in random
 * order.
 *
 * @param scores One score per row of the candidates.
 * @param termsOf Further terms of a picked row, for its explanation.
 */
export function bestPicks(
  { candidates, decision, count, seed }: Omit<SlateRequest, 'relevance'>,
  scores: Scores,
  termsOf: (row: number) => Omit<RowPick, 'row' | 'score'> = () => ({}),
): RowPick[] {
  const { rows, itemOf } = candidates
  const { boosts } = decision
  const boostOf = (row: number) => boosts?.get(itemOf(row))
  // In float64, because float32 could round a small boost away.
  const totals = boosts === undefined ? scores : Float64Array.from(scores)
  if (boosts !== undefined) for (const row of rows) totals[row]! += boostOf(row) ?? 0
  return Array.from(bestRows(candidates, totals, count, seed), (row) => {
    const boost = boostOf(row)
    return { row, score: totals[row]!, ...termsOf(row), ...(boost !== undefined && { boost }) }
  })
}

/**
 * Each draw costs as much as the slate. The estimate of a slot uses only the draws that agree with
 * all slots before it, so with few draws only the first slot has a good estimate.
 */
export const propensityDraws = nonNegativeInteger(
  'Further slates to draw per request, to estimate propensities; 0 gives none',
  100,
)

/** Returns the best rows by one draw of all scores. */
export function sampledSlate(
  { decision, candidates, count, seed }: SlateRequest,
  draws: number,
  drawScores: (random: Random) => Scores,
): RowPick[] {
  const scores = drawScores(decision.random)
  const rows = bestRows(candidates, scores, count, seed)
  const picks = Array.from(rows, (row) => ({ row, score: scores[row]! }))
  if (draws === 0) return picks
  const random = decision.random.fork(`propensity ${seed}`)
  const others = Array.from({ length: draws }, () =>
    bestRows(candidates, drawScores(random), count, random.integer(2 ** 32)),
  )
  const propensities = estimatePropensities(rows, others)
  return picks.map((pick, slot) => ({ ...pick, propensity: propensities[slot]! }))
}

/**
 * For each slot: among the slates that agree in all earlier slots, the share that also agrees in
 * this one. The slate itself is included, so no share is 0.
 */
function estimatePropensities(slate: Int32Array, others: readonly Int32Array[]): number[] {
  let agreeing = others
  return Array.from(slate, (row, slot) => {
    const before = agreeing.length
    agreeing = agreeing.filter((other) => other[slot] === row)
    return (agreeing.length + 1) / (before + 1)
  })
}
