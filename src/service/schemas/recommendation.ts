// The schemas of recommendation responses.

import { Type, type Static } from 'typebox'

import * as t from './builders.ts'
import { failure } from './failure.ts'
import { relevanceParts } from './quality.ts'

const servedItem = {
  item: t.string('The item.'),
  score: t.number('The score, by which the policy ranks items.'),
  relevance: t.number('The relevance term: how well the item suits the user.'),
  diversity: t.number('The diversity bonus without its weight: how unlike the history it is.'),
  uncertainty: t.number('The uncertainty bonus without its weight: how little is known about it.'),
  experience: t.optional(
    'With the policy hierarchical: the expected reward beyond that of relevance, from the rewards of the item so far.',
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
        item: t.string('An item of the history.'),
        share: t.number('Its share of the memory part.'),
      }),
    ),
  ),
}

const servedItemSchema = t.named('ServedItem', { ...servedItem, ...reasons })

export const weights = t.closed({
  relevance: t.number(
    'The factor of relevance: 0 at an exploration weight of 1, else 1, or the reward per unit of relevance with the policy hierarchical.',
  ),
  diversity: t.number('λ_d, the factor of the diversity bonus.'),
  uncertainty: t.number('λ_u, the factor of the uncertainty bonus.'),
})

/** The weights of the terms: score = Σ weight·term, plus experience and the boost. */
export type TermWeights = Static<typeof weights>

const identity = {
  modelVersion: t.count('The version of the model that scored the items.'),
  variant: t.string('The variant of the user.'),
  policy: t.string('The policy that picked the items.'),
}

export const served = t.named('Recommendation', {
  recommendationId: t.field(
    'The id for events about this slate; null if the slate is empty or not recorded.',
    t.orNull(t.text),
  ),
  ...identity,
  complete: t.boolean('False if the slate has fewer items than requested.'),
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
  recommendationId: t.string('The id of the recommendation.'),
  user: t.string('The user who received it.'),
  time: t.moment('When it was served, in milliseconds since 1970.'),
  ...identity,
  position: t.field('Its log position; null until it is in the log.', t.orNull(t.position)),
  context: t.optional('The `context` of the request; absent without one.', t.anyObject),
  items: t.field(
    'The slate with the feedback on each item, first slot first.',
    t.list(
      t.closed({
        ...servedItem,
        reward: t.numberOrNull(
          'The sum of its rewards. Without any, null until the attribution window closes, then 0.',
        ),
        seen: t.boolean('Whether the user saw the item.'),
        chosen: t.boolean('Whether a reward above 0 was reported.'),
      }),
    ),
  ),
  trained: t.boolean('Whether the served model version has learned from it.'),
})

/** A recommendation with the feedback on each of its items. */
export type RecommendationTimeline = Static<typeof timeline>
