// The common part of policies: validates the decision, gathers the candidates, and turns picks into
// a slate.

import type { Allocator, Engine } from '../kernels/index.ts'
import { addOffsets, eligibleItems, openCandidates, type Candidates } from './candidates.ts'
import type { Decision, ExplorationPolicy, ScoredItem, ScoreWeights } from '../core/types.ts'
import { readSettings } from '../core/settings.ts'
import type { Settings, SettingsInput, SettingsSchema } from '../core/settings.ts'
import { requireDecision } from './requirements.ts'

/** Creates a policy on an engine. `settings` is the schema of the policy's settings. */
export interface PolicyFactory<Schema extends SettingsSchema = SettingsSchema> {
  (engine: Engine, settings?: SettingsInput<Schema>): ExplorationPolicy
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
  readonly decision: Decision
  readonly candidates: Candidates
  /** μᵀθ of every row. Rows that may be picked include the decision's offset. */
  readonly relevance: Float32Array
  /** The number of rows to pick, at most the number of eligible rows. */
  readonly count: number
  /** Breaks ties. */
  readonly seed: number
  readonly engine: Engine
  /** Frees its tensors after the slate. */
  readonly temporary: Allocator
}

/** A picked row of the candidates and its score. An absent term is 0. */
export interface RowPick extends Partial<
  Pick<ScoredItem, 'diversity' | 'uncertainty' | 'boost' | 'propensity'>
> {
  readonly row: number
  readonly score: number
}

/** The abilities of a policy of {@link createSlatePolicy}. */
export interface SlatePolicyOptions {
  /**
   * The number of draws that propensities are estimated from. Omit it if they are exact or absent.
   */
  readonly propensityDraws?: number
  /** Set it if the policy picks with `bestPicks`. */
  readonly takesBoosts?: true
  /** The weights of the terms, if scores are their weighted sum. */
  readonly weights?: ScoreWeights
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
  { propensityDraws = 0, weights, ...abilities }: SlatePolicyOptions = {},
): ExplorationPolicy {
  return {
    name,
    ...abilities,
    choose(decision, slateSize) {
      requireDecision(decision, slateSize)
      const seed = decision.random.integer(2 ** 32)
      const eligible = eligibleItems(decision)
      if (eligible.length === 0) return { items: [], complete: false }
      return engine.scope((temporary) => {
        const candidates = openCandidates(engine, temporary, decision, eligible)
        const relevance = candidates.dot(decision.userEmbedding)
        addOffsets(decision, candidates, relevance)
        const count = Math.min(slateSize, eligible.length)
        const picks = pick({ decision, candidates, relevance, count, seed, engine, temporary })
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
