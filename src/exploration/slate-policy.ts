// The frame of a policy: checks the decision, gathers the candidates, asks for picks, explains them.

import type { Allocator, Engine } from '../kernels/index.ts'
import { addOffsets, eligibleItems, openCandidates } from './candidates.ts'
import type { Candidates } from './candidates.ts'
import type { Decision, ExplorationPolicy, ScoredItem, ScoreWeights } from '../core/types.ts'
import { readSettings } from '../core/settings.ts'
import type { Settings, SettingsInput, SettingsSchema } from '../core/settings.ts'
import { requireDecision } from './requirements.ts'

/** Creates a policy on an engine. It carries the schema of the policy's settings. */
export interface PolicyFactory<Schema extends SettingsSchema = SettingsSchema> {
  (engine: Engine, settings?: SettingsInput<Schema>): ExplorationPolicy
  readonly settings: Schema
}

/** Declares a policy: its settings, and how to create it once they are checked and complete. */
export function definePolicy<const Schema extends SettingsSchema>(
  name: string,
  settings: Schema,
  create: (engine: Engine, settings: Settings<Schema>) => ExplorationPolicy,
): PolicyFactory<Schema> {
  const factory = (engine: Engine, given: SettingsInput<Schema> = {}) =>
    create(engine, readSettings(name, settings, given))
  return Object.assign(factory, { settings })
}

/** A validated decision with what a policy needs to pick a slate. */
export interface SlateRequest {
  readonly decision: Decision
  readonly candidates: Candidates
  /** μᵀθ of every row, plus the decision's offset of every row that may be picked. */
  readonly relevance: Float32Array
  /** How many to pick: never more than there are. */
  readonly count: number
  /** Of this request: breaks ties. */
  readonly seed: number
  readonly engine: Engine
  /** Tensors made here are gone when the slate is done. */
  readonly temporary: Allocator
}

/** A picked row of the candidates and its score. A term that is absent counts as 0. */
export interface RowPick extends Partial<
  Pick<ScoredItem, 'diversity' | 'uncertainty' | 'boost' | 'propensity'>
> {
  readonly row: number
  readonly score: number
}

/** What the policy of {@link createSlatePolicy} supports. */
export interface SlatePolicyOptions {
  /** How many draws the picks' propensities rest on, where they are estimated. */
  readonly propensityDraws?: number
  /** For a policy whose picks are `bestPicks`. */
  readonly takesBoosts?: true
  /** For a policy that orders by scores which are such a sum of the terms. */
  readonly weights?: ScoreWeights
}

/** Of a policy whose scores are relevance alone. */
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
