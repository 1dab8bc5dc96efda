// The schemas of requests that the HTTP API and the library share. The service checks each request
// once.

import { Type, type Static, type TSchema } from 'typebox'

import { policies, policyNames } from '../../exploration/index.ts'
import type { PolicyName, SettingSchema } from '../../exploration/index.ts'
import { largestReward } from '../../recommender/requirements.ts'
import { limits } from '../limits.ts'
import { largestWeight, maxInRequest } from '../serving/request-options.ts'
import { rejected } from './failure.ts'
import * as t from './words.ts'

// The schema checks only the shape. The policy checks its settings and reports better errors; the
// OpenAPI document shows the settings of each policy (`exploration` below).
const checked = Type.Union(
  [
    t.closed({ weight: t.finite, exploratoryShare: Type.Optional(t.finite) }),
    t.closed({ diversityWeight: t.finite, uncertaintyWeight: t.finite }),
    t.closed({
      policy: t.name,
      settings: Type.Optional(
        Type.Record(t.name, Type.Union([t.name, t.finite, t.flag]), {
          description: 'settings by name',
        }),
      ),
    }),
  ],
  {
    description:
      '{ weight, exploratoryShare } or { diversityWeight, uncertaintyWeight } of numbers, or { policy, settings }, the settings of texts, numbers, true or false',
  },
)

const weight = t.within(0, largestWeight)
const share = t.within(0, 1)

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
  return t.closed({
    policy: t.oneOf(policy),
    settings: Type.Optional(t.closed(Object.fromEntries(settings))),
  })
}

export const exploration = t.shownAs(
  checked,
  Type.Union([
    t.closed({ weight: share, exploratoryShare: Type.Optional(share) }),
    t.closed({ diversityWeight: weight, uncertaintyWeight: weight }),
    ...policyNames.map(choiceOf),
  ]),
)

/** Exploration settings for one request; no retraining is needed. */
export type ExplorationChoice = Static<typeof exploration>

export const recommendRequest = t.named('RecommendationRequest', {
  user: t.name,
  count: t.wholeNumber(1, limits.count),
  /** The items to pick from. Unknown items are an error. */
  candidates: Type.Optional(t.names(limits.candidates)),
  exclude: Type.Optional(t.names(limits.candidates)),
  filter: Type.Optional(t.filterSchema),
  /** Defaults to the service's setting `excludeSeen`. */
  excludeSeen: Type.Optional(
    Type.Union([t.flag, t.oneOf('auto', 'interacted', 'shown')], {
      description: 'true, false, auto, interacted or shown',
    }),
  ),
  /** Numbers to add to the scores of items. */
  boost: Type.Optional(
    Type.Unsafe<Readonly<Record<string, number>>>(
      Type.Record(t.name, t.within(-largestWeight, largestWeight), {
        maxProperties: limits.candidates,
        description: 'numbers by the names of items',
      }),
    ),
  ),
  /** Items for fixed slots, counted from 1, regardless of their score. */
  pin: Type.Optional(
    t.list(t.closed({ item: t.name, slot: t.wholeNumber(1, limits.count) }), {
      maxItems: limits.count,
      description: 'a list of { item, slot }',
    }),
  ),
  slate: Type.Optional(t.oneOf('top', 'sequential')),
  exploration: Type.Optional(exploration),
  context: Type.Optional(t.anyObject),
  /** Waits until the state includes the log up to this position. */
  afterPosition: Type.Optional(t.position),
  /** If false, the slate is not logged and has no id. Defaults to true. */
  record: Type.Optional(t.flag),
  /** Adds the parts of its relevance to each item, but not to the log. Defaults to false. */
  explain: Type.Optional(t.flag),
})

/** A request for a slate: the user, the number of items, and optional filters and exploration. */
export type ServiceRequest = Readonly<Static<typeof recommendRequest>>

export const recommendRequests = t.batchOf(
  'requests',
  recommendRequest,
  limits.requests,
  'RecommendationRequests',
)

export const userEvent = t.named('UserEvent', {
  /** A second event with the same id has no effect. */
  id: Type.Optional(t.name),
  user: t.name,
  item: Type.Optional(t.name),
  /** Requires `item`. Defaults to 1. */
  reward: Type.Optional(t.within(-largestReward, largestReward)),
  /** Requires `item`. The type of the interaction, such as click or purchase; it is stored. */
  type: Type.Optional(t.name),
  recommendationId: Type.Optional(t.name),
  /** The items of the recommendation that the user has seen. Requires `recommendationId`. */
  impressions: Type.Optional(t.names(limits.count)),
  /** Milliseconds since 1970, at most a day from now. Defaults to now. */
  time: Type.Optional(t.eventTime),
})

/** Feedback on an item, or which items of a recommendation the user saw, or both. */
export type UserEvent = Readonly<Static<typeof userEvent>>

export const userEvents = t.batchOf('events', userEvent, limits.events, 'UserEvents')

/** An event that the service rejected, and why. */
export type Rejected = Static<typeof rejected>

export const recordReport = t.named('RecordReport', {
  /** Pass it as `afterPosition` to get a recommendation that includes these events. */
  position: t.position,
  accepted: t.wholeNumber(0),
  /** Events whose ids were in the log already. */
  repeated: t.wholeNumber(0),
  rejected: t.list(rejected),
})

/** The result of recording events. Rejected events do not affect the others. */
export type RecordReport = Static<typeof recordReport>
