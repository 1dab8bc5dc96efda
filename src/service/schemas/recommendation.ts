// The schemas of recommendation responses.

import { Type, type Static } from 'typebox'

import * as t from './words.ts'
import { failure } from './failure.ts'
import { relevanceParts } from './quality.ts'

const zeroOrOne = Type.Unsafe<0 | 1>(t.wholeNumber(0, 1))

const servedItem = {
  item: t.field('The item.', t.text),
  score: t.field('The score, by which the policy ranks items.', t.finite),
  relevance: t.field('The relevance term: how well the item suits the user.', t.finite),
  diversity: t.field(
    'The diversity bonus without its weight: how unlike the history it is.',
    t.finite,
  ),
  uncertainty: t.field(
    'The uncertainty bonus without its weight: how little is known about it.',
    t.finite,
  ),
  propensity: t.optional(
    'The probability with which the policy put the item in this slot; absent if unknown.',
    t.finite,
  ),
  pinned: t.optional(
    'True if the request pinned the item; absent otherwise.',
    Type.Unsafe<true>({ type: 'boolean' }),
  ),
  boost: t.optional('The boost of the request; absent without one.', t.finite),
}

const reasons = {
  parts: t.optional('The parts of the relevance; absent without `explain`.', relevanceParts),
  because: t.optional(
    'The items of the history behind the memory part; absent without `explain`.',
    t.list(
      t.closed({
        item: t.field('An item of the history.', t.text),
        share: t.field('Its share of the memory part.', t.finite),
      }),
    ),
  ),
}

const servedItemSchema = t.named('ServedItem', { ...servedItem, ...reasons })

const weights = t.closed({
  relevance: t.field('0 at an exploration weight of 1, else 1.', zeroOrOne),
  diversity: t.field('λ_d, the factor of the diversity bonus.', t.finite),
  uncertainty: t.field('λ_u, the factor of the uncertainty bonus.', t.finite),
})

/** The weights of the terms: score = Σ weight·term, plus the boost. */
export type TermWeights = Static<typeof weights>

const identity = {
  modelVersion: t.field('The version of the model that scored the items.', t.wholeNumber(0)),
  variant: t.field('The variant of the user.', t.text),
  policy: t.field('The policy that picked the items.', t.text),
}

export const served = t.named('Recommendation', {
  recommendationId: t.field(
    'The id for events about this slate; null if the slate is empty or not recorded.',
    t.orNull(t.text),
  ),
  ...identity,
  complete: t.field('False if the slate has fewer items than requested.', t.flag),
  empty: t.optional(
    'Why the slate is empty; absent otherwise.',
    t.oneOf('nothing-matches', 'no-items', 'all-excluded'),
  ),
  weights: t.field(
    'The factors of the terms of each score; null if the policy has no such factors.',
    t.orNull(weights),
  ),
  items: t.field('The slate, first slot first.', t.list(servedItemSchema)),
  position: t.field('The log position of the state that the slate is based on.', t.position),
})

/** The response to a request: the slate, with the terms of each score. */
export type ServedRecommendation = Static<typeof served>

export const recommendations = t.named('Recommendations', {
  results: t.field(
    'A recommendation or an error per request, in the order of the requests.',
    t.list(Type.Union([served, failure])),
  ),
})

export const timeline = t.named('RecommendationTimeline', {
  recommendationId: t.field('The id of the recommendation.', t.text),
  user: t.field('The user who received it.', t.text),
  time: t.field('When it was served, in milliseconds since 1970.', t.time),
  ...identity,
  position: t.field('Its log position; null until it is in the log.', t.orNull(t.position)),
  context: t.optional('The `context` of the request; absent without one.', t.anyObject),
  items: t.field(
    'The slate with the feedback on each item, first slot first.',
    t.list(
      t.closed({
        ...servedItem,
        reward: t.field(
          'The sum of its rewards. Without any, null until the attribution window closes, then 0.',
          t.numberOrNull,
        ),
        seen: t.field('Whether the user saw the item.', t.flag),
        chosen: t.field('Whether a reward above 0 was reported.', t.flag),
      }),
    ),
  ),
  trained: t.field('Whether the served model version has learned from it.', t.flag),
})

/** A recommendation with the feedback on each of its items. */
export type RecommendationTimeline = Static<typeof timeline>
