// REN: relevance + λ_d·diversity against the user's own history + λ_u·uncertainty of the item
// (equation 3 of the paper), exact and lazy; kernels/contract/scoring.ts says how.

import { invalid } from '../core/errors.ts'
import { createWorkspace } from '../kernels/index.ts'
import type { Engine } from '../kernels/index.ts'
import { capExploration } from './cap-exploration.ts'
import { createPickFrom } from './pick.ts'
import { createPools } from './pool.ts'
import type { Pool } from './pool.ts'
import type { Decision, Explanation, ExplorationPolicy, ScoredItem, Slate } from './policy.ts'
import { createPicker } from './ren-picker.ts'
import type { Picker } from './ren-picker.ts'
import {
  requireCount,
  requireDecision,
  requireHistoryCap,
  requireIndices,
  requireWithin,
} from './requirements.ts'
import { shareSlots } from './share-slots.ts'

/** λ_d and λ_u, in the units of the embeddings. */
export interface AbsoluteWeights {
  readonly diversityWeight: number
  readonly uncertaintyWeight: number
}

/** One number from 0 (exactly greedy) to 1 (relevance does not count); see scale-free-weights.ts. */
export interface ScaleFreeWeight {
  readonly explorationWeight: number
}

export interface RenOptions {
  readonly weights: AbsoluteWeights | ScaleFreeWeight
  /**
   * `top` takes the best by one A_t; `sequential` lets A_t grow by each pick, so that the slate is
   * diverse in itself.
   */
  readonly slate?: 'top' | 'sequential'
  /** A_t uses this many of the last visits. Defaults to all. */
  readonly historyCap?: number
  /** At most this many items that the most relevant ones would not have included. */
  readonly exploratorySlots?: number
  /**
   * The share of the slots that exploration may fill, from 0 to 1, rounded up to whole slots. They
   * are the last ones; the slots before them hold the most relevant items, in order of relevance.
   * Defaults to a slate in order of score, all of whose slots may explore.
   */
  readonly exploratoryShare?: number
  /**
   * For an exploration weight: scales uncertainty by the distance between unknown items and the slate
   * instead of by the uncertainty of the leading items; see scale-free-weights.ts. Defaults to 0,
   * which does not. Absolute weights ignore it.
   */
  readonly newItemWeight?: number
}

export interface RenPolicy extends ExplorationPolicy {
  readonly takesOverrides: true
  /** For `top` slates; a sequential one is refused where there are boosts. */
  readonly takesBoosts: true
  /** With other settings for this one request: nothing is trained again. */
  choose(decision: Decision, slateSize: number, override?: Partial<RenOptions>): Slate
  /** By the weights of a slate from this decision, against the history alone. */
  explain(decision: Decision, items: Int32Array, override?: Partial<RenOptions>): Explanation
}

export function createRenPolicy(engine: Engine, options: RenOptions): RenPolicy {
  requireOptions(options)
  const pools = createPools(engine)
  const pickFrom = createPickFrom(engine, createWorkspace(engine).within('ren'))

  /** The request's picker and pool; null where there is nothing to pick from. */
  function open(decision: Decision, slateSize: number, override: Partial<RenOptions>) {
    const settings = { ...options, ...override }
    requireOptions(settings)
    requireDecision(decision, slateSize)
    const pool = pools.of(decision)
    return { settings, pool, picker: createPicker(pickFrom, pools, decision, settings, pool) }
  }

  return {
    name: 'ren',
    takesOverrides: true,
    takesBoosts: true,
    choose(decision, slateSize, override = {}) {
      const { settings, pool, picker } = open(decision, slateSize, override)
      if (pool === null) return { items: [], complete: false }
      const items = pickSlate(picker, pool, slateSize, settings, (some) =>
        pools.ofItems(decision, some),
      )
      const weights = items.length > 0 ? { weights: picker.weights } : {}
      return { items, complete: items.length === slateSize, ...weights }
    },
    explain(decision, items, override = {}) {
      requireIndices('items', items, decision.items.rows)
      const { picker } = open(decision, items.length, override)
      return { items: picker.explain(items), weights: picker.weights }
    },
  }
}

function pickSlate(
  picker: Picker,
  pool: Pool,
  count: number,
  settings: RenOptions,
  poolOf: (items: Int32Array) => Pool,
): readonly ScoredItem[] {
  const { exploratorySlots: slots = Infinity, exploratoryShare: share = 1 } = settings
  const { diversityWeight, uncertaintyWeight } = picker.weights
  const isGreedy = diversityWeight === 0 && uncertaintyWeight === 0
  if (share < 1) {
    if (isGreedy) return picker.pick(pool, count)
    return shareSlots(picker, pool, count, Math.min(slots, slotsOf(share, count)))
  }
  if (slots === Infinity) return picker.pick(pool, count)
  return capExploration(picker, pool, count, slots, poolOf)
}

/** Rounded up, but not for what rounding has left above a whole number. */
function slotsOf(share: number, count: number): number {
  return Math.ceil(share * count - 1e-9)
}

function requireOptions(options: RenOptions): void {
  const { weights, slate = 'top', historyCap, exploratorySlots } = options ?? {}
  const { exploratoryShare, newItemWeight } = options ?? {}
  if (typeof weights !== 'object' || weights === null) {
    throw invalid('weights must hold diversityWeight and uncertaintyWeight, or explorationWeight')
  }
  const known = 'explorationWeight' in weights ? ['explorationWeight'] : absoluteNames
  const unknown = Object.keys(weights).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw invalid(`weights: ${unknown} does not go with ${known.join(', ')}`)
  const most = known === absoluteNames ? Number.MAX_VALUE : 1
  for (const name of known) {
    requireWithin(name, (weights as unknown as Record<string, number>)[name]!, 0, most)
  }
  if (slate !== 'top' && slate !== 'sequential') {
    throw invalid(`slate must be top or sequential, got ${String(slate)}`)
  }
  requireHistoryCap(historyCap)
  if (exploratorySlots !== undefined) requireCount('exploratorySlots', exploratorySlots)
  if (exploratoryShare !== undefined) requireWithin('exploratoryShare', exploratoryShare, 0, 1)
  if (newItemWeight !== undefined)
    requireWithin('newItemWeight', newItemWeight, 0, maxNewItemWeight)
}

/** Far beyond what makes sense, and not beyond float32. */
const maxNewItemWeight = 1e6

const absoluteNames = ['diversityWeight', 'uncertaintyWeight']
