// The schemas of recommendation responses.

import { Type, type Static } from 'typebox'

import * as t from './words.ts'
import { failure } from './failure.ts'
import { relevanceParts } from './quality.ts'

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

/** Present if the request has `explain`. */
const reasons = {
  parts: Type.Optional(relevanceParts),
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
  /** Null if the request was not recorded. */
  recommendationId: t.orNull(Type.String()),
  modelVersion: t.wholeNumber(0),
  variant: Type.String(),
  policy: Type.String(),
  /** False if the slate has fewer items than requested. */
  complete: t.flag,
  /** Why the slate is empty; absent otherwise. */
  empty: Type.Optional(t.oneOf('nothing-matches', 'no-items', 'all-excluded')),
  /** The weights of the terms of each score; null if the policy has no such weights. */
  weights: t.orNull(weights),
  items: t.list(t.named('ServedItem', { ...servedItem, ...reasons })),
  /** The log position of the state that the slate is based on. */
  position: t.position,
})

/** The response to a request: the slate, with the terms of each score. */
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
  /** Null until the recommendation is in the log. */
  position: t.orNull(t.position),
  context: Type.Optional(t.anyObject),
  items: t.list(
    t.closed({
      ...servedItem,
      /** The sum of its rewards; null without any while the attribution window is open. */
      reward: t.numberOrNull,
      seen: t.flag,
      /** Whether a reward above 0 was reported. */
      chosen: t.flag,
    }),
  ),
  /** Whether the served model version has learned from it. */
  trained: t.flag,
})

/** A recommendation with the feedback on each of its items. */
export type RecommendationTimeline = Static<typeof timeline>
