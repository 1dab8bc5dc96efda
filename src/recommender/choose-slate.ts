// A policy's answer to a request: its picks, with other settings where asked for, and the pins.

import type { Decision, Explanation, ExplorationPolicy, Slate } from '../exploration/index.ts'
import type { Asked } from './decisions.ts'
import { placePins } from './pins.ts'
import type { PlacedItem } from './pins.ts'
import type { RecommendRequest } from './requests.ts'
import { invalid } from './requirements.ts'

export interface PlacedSlate extends Pick<Slate, 'complete' | 'weights'> {
  readonly items: readonly PlacedItem[]
}

export function chooseSlate(
  policy: ExplorationPolicy,
  { decision, pins }: Asked,
  { count, exploration }: Pick<RecommendRequest, 'count' | 'exploration'>,
): PlacedSlate {
  requireTaken(policy, decision, exploration)
  const left = count - pins.length
  const { items, complete, weights } =
    left > 0 ? policy.choose(decision, left, exploration) : nothingLeft
  if (pins.length === 0) return { items, complete, ...(weights && { weights }) }
  const rows = Int32Array.from(pins, ({ row }) => row)
  const explained = explain(policy, decision, rows, exploration)
  const ofAll = weights ?? explained.weights
  return {
    items: placePins(items, explained.items, pins),
    complete,
    ...(ofAll && { weights: ofAll }),
  }
}

const nothingLeft: Slate = { items: [], complete: true }

/** Refuses what the policy would not look at. */
function requireTaken(
  { name, takesBoosts, takesOverrides }: ExplorationPolicy,
  { boosts }: Decision,
  exploration: RecommendRequest['exploration'],
): void {
  if (boosts !== undefined && takesBoosts !== true) {
    throw invalid(`boost: the slates of ${name} are not in order of scores of their own`)
  }
  if (exploration !== undefined && takesOverrides !== true) {
    throw invalid(`exploration: the policy ${name} has no settings for one request, ren has`)
  }
}

/** The terms of some items; chance has a stream of its own, so that it leaves that of the slate. */
function explain(
  policy: ExplorationPolicy,
  decision: Decision,
  rows: Int32Array,
  exploration: RecommendRequest['exploration'],
): Explanation {
  const apart = { ...decision, boosts: undefined, random: decision.random.fork('explain') }
  if (policy.explain) return policy.explain(apart, rows, exploration)
  const only = { ...apart, candidates: rows, excluded: new Int32Array() }
  return policy.choose(only, rows.length, exploration)
}
