// What is asked of a recommendation, and what it answers.

import { Type } from 'typebox'
import type { TSchema } from 'typebox'

import { policies, policyNames } from '../../../exploration/index.ts'
import type { PolicyName, SettingSchema } from '../../../exploration/index.ts'
import type { RecommendationTimeline, ServedRecommendation } from '../../service.ts'
import { largestWeight, maxInRequest } from '../../serving/request-policies.ts'
import { limits } from '../limits.ts'
import { failure } from './failure.ts'
import {
  filterSchema,
  closed,
  finite,
  flag,
  name,
  oneOf,
  shownAs,
  wholeNumber,
  within,
  answers,
  anyObject,
  batchOf,
  list,
  names,
  numberOrNull,
  orNull,
  position,
  time,
} from './words.ts'

// How a request says what is to be explored. It is checked for its form alone: which settings a policy
// has, and how far they go, the service knows, and says in words; documents show it here.

const checked = Type.Union(
  [
    closed({ weight: finite, exploratoryShare: Type.Optional(finite) }),
    closed({ diversityWeight: finite, uncertaintyWeight: finite }),
    closed({
      policy: name,
      settings: Type.Optional(
        Type.Record(name, Type.Union([name, finite, flag]), { description: 'settings by name' }),
      ),
    }),
  ],
  {
    description:
      '{ weight, exploratoryShare } or { diversityWeight, uncertaintyWeight } of numbers, or { policy, settings }, the settings of texts, numbers, true or false',
  },
)

const weight = within(0, largestWeight)
const share = within(0, 1)

/** A setting of a policy, with the limits of requests on its numbers. */
const inRequest = (setting: string, schema: SettingSchema): TSchema =>
  Type.Unsafe(
    'minimum' in schema
      ? { ...schema, maximum: Math.min(schema.maximum ?? Infinity, maxInRequest(setting)) }
      : schema,
  )

function choiceOf(policy: PolicyName): TSchema {
  const settings = Object.entries<SettingSchema>(policies[policy].settings).map(
    ([setting, schema]) => [setting, Type.Optional(inRequest(setting, schema))] as const,
  )
  return closed({
    policy: oneOf(policy),
    settings: Type.Optional(closed(Object.fromEntries(settings))),
  })
}

export const exploration = shownAs(
  checked,
  Type.Union([
    closed({ weight: share, exploratoryShare: Type.Optional(share) }),
    closed({ diversityWeight: weight, uncertaintyWeight: weight }),
    ...policyNames.map(choiceOf),
  ]),
)

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
      variant: Type.String(),
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
      variant: Type.String(),
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
