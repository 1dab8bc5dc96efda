// How other weights and other blends come to serve: between two requests, since the main thread does
// one thing at a time.

import type { WeightUpdate } from '../../recommender/index.ts'
import type { Blend } from '../../relevance/index.ts'
import type { ModelGroup } from '../state/model-groups.ts'

interface Swap {
  /** How long the main thread stood still for it, in milliseconds. */
  readonly swapMs: number
  /** What is left to do, in steps: see `RecommenderBlend.change`. */
  readonly rest: Generator<undefined, void> | null
}

/** @param blend What the weights are served with; null keeps the one that serves. */
export function swapIn(
  group: ModelGroup,
  update: WeightUpdate,
  version: number,
  blend: Blend | null,
): Swap {
  const before = performance.now()
  group.adopt(update, version)
  const rest = (blend && group.recommender.blend?.change(blend)) ?? null
  return { swapMs: performance.now() - before, rest }
}

/** With fewer judged interactions, held-out ones of the log say more. */
const enoughJudged = 100

/**
 * Serves a blend that was fitted on a log without a model, where no model counts yet and live
 * interactions have fitted hardly anything: right after an import.
 *
 * @returns What is left to do, in steps; null where another blend goes on serving.
 */
export function serveBaseline(
  { recommender }: ModelGroup,
  blend: Blend,
): Generator<undefined, void> | null {
  const served = recommender.blend
  const judged = served?.quality()?.served.examples ?? 0
  const isFirst = served?.current.weights.model === 0 && judged < enoughJudged
  return isFirst ? served.change(blend) : null
}
