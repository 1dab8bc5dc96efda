// REN: relevance + λ_d·diversity against the user's own history + λ_u·uncertainty of the item
// (equation 3 of the paper), exact and lazy; kernels/contract/slate.ts says how.

import { createWorkspace, tieHash } from '../kernels/index.ts'
import type { Engine } from '../kernels/index.ts'
import { pickFrom } from './pick.ts'
import { createPools } from './pool.ts'
import type { Pool } from './pool.ts'
import type { Decision, ExplorationPolicy, ScoredItem, Slate } from './policy.ts'
import {
  requireCount,
  requireDecision,
  requirePositiveInteger,
  requireWithin,
} from './requirements.ts'
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
  /** With other settings for this one request: nothing is trained again. */
  choose(decision: Decision, slateSize: number, override?: Partial<RenOptions>): Slate
}

export function createRenPolicy(engine: Engine, options: RenOptions): RenPolicy {
  requireOptions(options)
  const pools = createPools(engine)
  const workspace = createWorkspace(engine).within('ren')

  /** Everything about a request but how many to pick, from which pool, after which picks. */
  function prepare(decision: Decision, settings: RenOptions, pool: Pool) {
    const history = visitedVectors(decision, settings.historyCap)
    const tieSeed = decision.random.integer(2 ** 32)
    const sequential = settings.slate === 'sequential'
    const greedy = {
      user: decision.userEmbedding,
      history,
      tieSeed,
      diversityWeight: 0,
      uncertaintyWeight: 0,
      sequential: false,
    }
    const leading = (count: number) => pickFrom(engine, workspace, { ...greedy, pool, count })
    const { weights } = settings
    const scaleFree = 'explorationWeight' in weights
    const relevanceCounts = !scaleFree || weights.explorationWeight < 1
    return {
      leading,
      request: {
        ...greedy,
        sequential,
        user: relevanceCounts ? decision.userEmbedding : decision.userEmbedding.map(() => 0),
        ...(scaleFree ? scaleFreeWeights(weights.explorationWeight, leading(LEADING)) : weights),
      },
    }
  }

  return {
    name: 'ren',
    choose(decision, slateSize, override = {}) {
      const settings = { ...options, ...override }
      requireOptions(settings)
      requireDecision(decision, slateSize)
      const pool = pools.of(decision)
      if (pool === null) return { items: [], complete: false }
      const { leading, request } = prepare(decision, settings, pool)
      const pick = (
        from: Pool,
        count: number,
        more: { without?: ReadonlySet<number>; after?: readonly ScoredItem[] },
      ) =>
        pickFrom(engine, workspace, {
          ...request,
          pool: from,
          count,
          ...(more.without && { without: more.without }),
          history: more.after
            ? appendVectors(request.history, decision, more.after)
            : request.history,
        })
      const cap = settings.exploratorySlots
      if (cap === undefined) return slateOf(pick(pool, slateSize, {}), slateSize)

      const greedy = new Set(leading(slateSize).map(({ item }) => item))
      const free = pick(pool, slateSize, {})
      const within = countWithinCap(free, greedy, cap)
      if (within === free.length) return slateOf(free, slateSize)
      if (!request.sequential) {
        const outside = cap === 0 ? [] : pick(pool, cap, { without: greedy })
        const inside = pick(pools.ofItems(decision, Int32Array.from(greedy)), slateSize, {})
        const best = [...outside, ...inside].toSorted(
          (a, b) =>
            b.score - a.score ||
            tieHash(request.tieSeed, a.item) - tieHash(request.tieSeed, b.item),
        )
        return slateOf(best.slice(0, slateSize), slateSize)
      }
      const kept = free.slice(0, within)
      const left = greedy.difference(new Set(kept.map(({ item }) => item)))
      const rest = pick(pools.ofItems(decision, Int32Array.from(left)), slateSize - within, {
        after: kept,
      })
      return slateOf([...kept, ...rest], slateSize)
    },
  }
}

function slateOf(items: readonly ScoredItem[], slateSize: number): Slate {
  return { items, complete: items.length === slateSize }
}

/** How many picks come before the one that would exceed the cap on items outside `greedy`. */
function countWithinCap(
  picks: readonly ScoredItem[],
  greedy: ReadonlySet<number>,
  cap: number,
): number {
  let outside = 0
  const at = picks.findIndex(({ item }) => {
    if (!greedy.has(item)) outside += 1
    return outside > cap
  })
  return at < 0 ? picks.length : at
}

/** The vectors of the last visits, one after another. */
function visitedVectors(
  { items, visited }: Decision,
  cap = Number.POSITIVE_INFINITY,
): Float32Array {
  const last = visited.subarray(Math.max(0, visited.length - cap))
  return vectorsOf(items, last)
}

function appendVectors(
  history: Float32Array,
  { items }: Decision,
  picks: readonly ScoredItem[],
): Float32Array {
  const more = vectorsOf(
    items,
    picks.map(({ item }) => item),
  )
  const all = new Float32Array(history.length + more.length)
  all.set(history)
  all.set(more, history.length)
  return all
}

function vectorsOf({ values, columns }: Decision['items'], items: ArrayLike<number>): Float32Array {
  const vectors = new Float32Array(items.length * columns)
  for (let i = 0; i < items.length; i++) {
    const from = items[i]! * columns
    vectors.set(values.subarray(from, from + columns), i * columns)
  }
  return vectors
}

function requireOptions({ weights, historyCap, exploratorySlots }: RenOptions): void {
  if ('explorationWeight' in weights) {
    requireWithin('explorationWeight', weights.explorationWeight, 0, 1)
  } else {
    requireWithin('diversityWeight', weights.diversityWeight, 0)
    requireWithin('uncertaintyWeight', weights.uncertaintyWeight, 0)
  }
  if (historyCap !== undefined) requirePositiveInteger('historyCap', historyCap)
  if (exploratorySlots !== undefined) requireCount('exploratorySlots', exploratorySlots)
}
