// The answers to recommendation requests.

import { Type } from 'typebox'
import type { Static } from 'typebox'

import * as t from './words.ts'
import { failure } from './failure.ts'

const zeroOrOne = Type.Unsafe<0 | 1>(t.wholeNumber(0, 1))

const servedItem = {
  item: Type.String(),
  score: t.finite,
  relevance: t.finite,
  diversity: t.finite,
  uncertainty: t.finite,
  propensity: Type.Optional(t.finite),
  pinned: Type.Optional(Type.Unsafe<true>({ type: 'boolean' })),
  boost: Type.Optional(Type.Number()),
}

/** Where the request asked to explain. */
const reasons = {
  parts: Type.Optional(
    t.closed({ model: t.finite, memory: t.finite, popularity: t.finite, clickRate: t.finite }),
  ),
  because: Type.Optional(t.list(t.closed({ item: Type.String(), share: t.finite }))),
}

const weights = t.closed({
  /** 0 at an exploration weight of 1, else 1. */
  relevance: zeroOrOne,
  /** λ_d. */
  diversity: t.finite,
  /** λ_u. */
  uncertainty: t.finite,
})

/** The weights of the terms: score = Σ weight·term, plus the boost. */
export type TermWeights = Static<typeof weights>

export const served = t.named('Recommendation', {
  /** Null where the request was not recorded. */
  recommendationId: t.orNull(Type.String()),
  modelVersion: t.wholeNumber(0),
  variant: Type.String(),
  policy: Type.String(),
  /** False where fewer items were left than requested. */
  complete: t.flag,
  /** Why the slate is empty, where it is. */
  empty: Type.Optional(t.oneOf('nothing-matches', 'no-items', 'all-excluded')),
  /** What the terms of each item are multiplied by; null where scores are no such sum. */
  weights: t.orNull(weights),
  items: t.list(t.named('ServedItem', { ...servedItem, ...reasons })),
  /** What the slate is made from. */
  position: t.position,
})

/** The answer of a service to a request: the slate, with the terms of each score. */
export type ServedRecommendation = Static<typeof served>

export const recommendations = t.named('Recommendations', {
  results: t.list(Type.Union([served, failure])),
})

export const timeline = t.named('RecommendationTimeline', {
  recommendationId: Type.String(),
  user: Type.String(),
  time: t.time,
  variant: Type.String(),
  policy: Type.String(),
  modelVersion: t.wholeNumber(0),
  /** Null while it is on its way into the log. */
  position: t.orNull(t.position),
  context: Type.Optional(t.anyObject),
  items: t.list(
    t.closed({
      ...servedItem,
      /** The sum of its reported rewards; null while there are none and the attribution window is open. */
      reward: t.numberOrNull,
      seen: t.flag,
      /** Whether a reward above 0 was reported. */
      taken: t.flag,
    }),
  ),
  /** Whether a later model version has learnt from it. */
  learnt: t.flag,
})

/** A recommendation with the feedback on each of its items. */
export type RecommendationTimeline = Static<typeof timeline>
