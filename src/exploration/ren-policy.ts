// REN: relevance + λ_d·diversity against the user's own history + λ_u·uncertainty of the item
// (equation 3 of the paper), exact and lazy; kernels/contract/slate.ts says how.

import { RenError } from '../core/errors.ts'
import { createWorkspace } from '../kernels/index.ts'
import type { Engine } from '../kernels/index.ts'
import { capExploration } from './cap-exploration.ts'
import { lastVisits } from './design-matrix.ts'
import { pickFrom } from './pick.ts'
import { createPools } from './pool.ts'
import type { Pool } from './pool.ts'
import type { Decision, ExplorationPolicy, ScoredItem, Slate } from './policy.ts'
import { requireCount, requireDecision, requireHistoryCap, requireWithin } from './requirements.ts'
import { LEADING, scaleFreeWeights } from './scale-free-weights.ts'

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
  /** A_t sees this many of the last visits; all of them unless set. */
  readonly historyCap?: number
  /** At most this many items that the most relevant ones would not have included. */
  readonly exploratorySlots?: number
}

export interface RenPolicy extends ExplorationPolicy {
  readonly takesOverrides: true
  /** With other settings for this one request: nothing is trained again. */
  choose(decision: Decision, slateSize: number, override?: Partial<RenOptions>): Slate
}

/** Picks for one request, from any pool and after any picks. */
export interface Picker {
  /** By the request's weights. */
  pick(pool: Pool, count: number, more?: PickMore): ScoredItem[]
  /** By relevance alone. */
  mostRelevant(count: number): ScoredItem[]
  readonly sequential: boolean
  readonly tieSeed: number
}

export interface PickMore {
  /** Items that may not be picked. */
  readonly without?: ReadonlySet<number>
  /** Picks that have joined the history. */
  readonly after?: readonly ScoredItem[]
}

export function createRenPolicy(engine: Engine, options: RenOptions): RenPolicy {
  requireOptions(options)
  const pools = createPools(engine)
  const workspace = createWorkspace(engine).within('ren')

  function createPicker(decision: Decision, settings: RenOptions, pool: Pool): Picker {
    const { items, userEmbedding: user } = decision
    const visited = lastVisits(decision.visited, settings.historyCap)
    const tieSeed = decision.random.integer(2 ** 32)
    const sequential = settings.slate === 'sequential'
    const plain = { user, tieSeed, diversityWeight: 0, uncertaintyWeight: 0, sequential: false }
    const history = vectorsOf(items, visited)
    const mostRelevant = (count: number) =>
      pickFrom(engine, workspace, { ...plain, history, pool, count })
    const weights = weightsOf(settings.weights, mostRelevant)
    return {
      mostRelevant,
      sequential,
      tieSeed,
      pick: (from, count, { without, after = [] } = {}) =>
        pickFrom(engine, workspace, {
          ...plain,
          ...weights,
          sequential,
          pool: from,
          count,
          history: vectorsOf(items, [...visited, ...after.map(({ item }) => item)]),
          ...(without && { without }),
        }),
    }
  }

  return {
    name: 'ren',
    takesOverrides: true,
    choose(decision, slateSize, override = {}) {
      const settings = { ...options, ...override }
      requireOptions(settings)
      requireDecision(decision, slateSize)
      const pool = pools.of(decision)
      if (pool === null) return { items: [], complete: false }
      const picker = createPicker(decision, settings, pool)
      const { exploratorySlots: cap } = settings
      const items =
        cap === undefined
          ? picker.pick(pool, slateSize)
          : capExploration(picker, pool, slateSize, cap, (some) => pools.ofItems(decision, some))
      return { items, complete: items.length === slateSize }
    },
  }
}

/** λ_d, λ_u, and whether relevance counts. */
function weightsOf(
  weights: RenOptions['weights'],
  mostRelevant: (count: number) => readonly ScoredItem[],
) {
  if (!('explorationWeight' in weights)) return { ...weights, relevanceCounts: true }
  const { explorationWeight } = weights
  return {
    ...scaleFreeWeights(explorationWeight, mostRelevant(LEADING)),
    relevanceCounts: explorationWeight < 1,
  }
}

/** The vectors of some items, one after another. */
function vectorsOf({ values, columns }: Decision['items'], items: ArrayLike<number>): Float32Array {
  const vectors = new Float32Array(items.length * columns)
  for (let i = 0; i < items.length; i++) {
    const from = items[i]! * columns
    vectors.set(values.subarray(from, from + columns), i * columns)
  }
  return vectors
}

function requireOptions(options: RenOptions): void {
  const { weights, slate = 'top', historyCap, exploratorySlots } = options ?? {}
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
}

const absoluteNames = ['diversityWeight', 'uncertaintyWeight']

function invalid(message: string): RenError {
  return new RenError('invalid-argument', message)
}
