// What is asked of a recommendation, and what it answers.

import { Type } from 'typebox'

import type { RecommendationTimeline, ServedRecommendation } from '../../service.ts'
import { largestWeight } from '../../request-limits.ts'
import { limits } from '../limits.ts'
import { exploration } from './exploration.ts'
import { failure } from './failure.ts'
import { filterSchema } from './filter.ts'
import {
  answers,
  anyObject,
  batchOf,
  closed,
  finite,
  flag,
  list,
  name,
  names,
  numberOrNull,
  oneOf,
  orNull,
  position,
  time,
  wholeNumber,
  within,
} from './words.ts'

export const recommendRequest = closed(
  {
    user: name,
    count: wholeNumber(1, limits.count),
    candidates: Type.Optional(names(limits.candidates)),
    exclude: Type.Optional(names(limits.candidates)),
    filter: Type.Optional(filterSchema),
    excludeSeen: Type.Optional(
      Type.Union([flag, oneOf('auto', 'taken', 'shown')], {
        description: 'true, false, auto, taken or shown',
      }),
    ),
    boost: Type.Optional(
      Type.Record(name, within(-largestWeight, largestWeight), {
        maxProperties: limits.candidates,
        description: 'numbers by the names of items',
      }),
    ),
    pin: Type.Optional(
      Type.Array(closed({ item: name, slot: wholeNumber(1, limits.count) }), {
        maxItems: limits.count,
        description: 'a list of { item, slot }',
      }),
    ),
    slate: Type.Optional(oneOf('top', 'sequential')),
    exploration: Type.Optional(exploration),
    context: Type.Optional(anyObject),
    afterPosition: Type.Optional(position),
    record: Type.Optional(flag),
    explain: Type.Optional(flag),
  },
  'RecommendationRequest',
)

export const recommendRequests = batchOf(
  'requests',
  recommendRequest,
  limits.requests,
  'RecommendationRequests',
)

const zeroOrOne = Type.Unsafe<0 | 1>(wholeNumber(0, 1))

const servedItem = {
  item: Type.String(),
  score: finite,
  relevance: finite,
  diversity: finite,
  uncertainty: finite,
  propensity: Type.Optional(finite),
  pinned: Type.Optional(Type.Unsafe<true>({ type: 'boolean' })),
  boost: Type.Optional(Type.Number()),
}

/** Where the request asked to explain. */
const reasons = {
  parts: Type.Optional(
    closed({ model: finite, memory: finite, popularity: finite, clickRate: finite }),
  ),
  because: Type.Optional(list(closed({ item: Type.String(), share: finite }))),
}

export const served = answers<ServedRecommendation>()(
  closed(
    {
      recommendationId: orNull(Type.String()),
      modelVersion: wholeNumber(0),
      arm: Type.String(),
      policy: Type.String(),
      complete: flag,
      empty: Type.Optional(oneOf('nothing-matches', 'no-items', 'all-excluded')),
      weights: orNull(closed({ relevance: zeroOrOne, diversity: finite, uncertainty: finite })),
      items: list(closed({ ...servedItem, ...reasons }, 'ServedItem')),
      position,
    },
    'Recommendation',
  ),
)

export const recommendations = closed(
  { results: list(Type.Union([served, failure])) },
  'Recommendations',
)

export const timeline = answers<RecommendationTimeline>()(
  closed(
    {
      recommendationId: Type.String(),
      user: Type.String(),
      time,
      arm: Type.String(),
      policy: Type.String(),
      modelVersion: wholeNumber(0),
      position: orNull(position),
      context: Type.Optional(anyObject),
      items: list(closed({ ...servedItem, reward: numberOrNull, seen: flag, taken: flag })),
      learnt: flag,
    },
    'RecommendationTimeline',
  ),
)
