// The schemas of requests that the HTTP API and the library share. The service checks each request
// once.

import { Type, type Static, type TSchema } from 'typebox'

import { policies, policyNames } from '../../exploration/index.ts'
import type { PolicyName, SettingSchema } from '../../exploration/index.ts'
import { largestReward } from '../../recommender/requirements.ts'
import { limits } from '../limits.ts'
import { largestWeight, maxInRequest } from '../serving/request-options.ts'
import { rejected } from './failure.ts'
import * as t from './builders.ts'

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
          expected: 'settings by name',
        }),
      ),
    }),
  ],
  {
    expected:
      '{ weight, exploratoryShare } or { diversityWeight, uncertaintyWeight } of numbers, or { policy, settings }, the settings of strings, numbers or booleans',
  },
)

const weight = t.within(0, largestWeight)
const share = t.within(0, 1)

/** A setting of a policy, with the limits of requests on its numbers. */
const inRequest = (setting: string, schema: SettingSchema): TSchema =>
  t.optional(
    `${schema.description}.`,
    Type.Unsafe(
      'minimum' in schema
        ? { ...schema, maximum: Math.min(schema.maximum ?? Infinity, maxInRequest(setting)) }
        : schema,
    ),
  )

function choiceOf(policy: PolicyName): TSchema {
  const settings = Object.entries<SettingSchema>(policies[policy].settings).map(
    ([setting, schema]) => [setting, inRequest(setting, schema)] as const,
  )
  return t.closed({
    policy: t.field('The policy for this request.', t.oneOf(policy)),
    settings: t.optional(
      'Its settings. Each defaults to the setting of the policy, not of the variant.',
      t.closed(Object.fromEntries(settings)),
    ),
  })
}

export const exploration = t.shownAs(
  checked,
  Type.Union([
    t.closed({
      weight: t.field(
        'How much to explore: 0 is greedy, 0.5 is what the policy of the variant does with its settings, 1 explores without regard to rewards. Means the same for any model.',
        share,
      ),
      exploratoryShare: t.optional(
        'The mean share of slots that exploration may fill. Only with REN. Defaults to the setting of the variant.',
        share,
      ),
    }),
    t.closed({
      diversityWeight: t.field('λ_d, the factor of the diversity bonus.', weight),
      uncertaintyWeight: t.field('λ_u, the factor of the uncertainty bonus.', weight),
    }),
    ...policyNames.map(choiceOf),
  ]),
)

/** Exploration settings for one request; no retraining is needed. */
export type ExplorationChoice = Static<typeof exploration>

export const recommendRequest = t.named('RecommendationRequest', {
  user: t.field('The user, who may be new.', t.name),
  count: t.field('The number of items.', t.wholeNumber(1, limits.count)),
  candidates: t.optional(
    'The items to pick from; an unknown item is an error. Defaults to the whole catalog.',
    t.names(limits.candidates),
  ),
  exclude: t.optional('Items to leave out. Defaults to none.', t.names(limits.candidates)),
  filter: t.optional('A condition on item attributes. Defaults to all items.', t.filterSchema),
  excludeSeen: t.optional(
    'Which seen items to leave out: those with an interaction (`interacted` or true), also those that were shown (`shown`), none (false), or what suits the log (`auto`). Defaults to the setting of the service.',
    Type.Union([t.flag, t.oneOf('auto', 'interacted', 'shown')], {
      expected: 'true, false, auto, interacted or shown',
    }),
  ),
  boost: t.optional(
    'Numbers to add to the scores of items, by item. Defaults to none.',
    Type.Unsafe<Readonly<Record<string, number>>>(
      Type.Record(t.name, t.within(-largestWeight, largestWeight), {
        maxProperties: limits.candidates,
        expected: 'numbers by the names of items',
      }),
    ),
  ),
  pin: t.optional(
    'Items for fixed slots, whatever their scores. Defaults to none.',
    t.list(
      t.closed({
        item: t.field('The item.', t.name),
        slot: t.field('Its slot, counted from 1.', t.wholeNumber(1, limits.count)),
      }),
      { maxItems: limits.count, expected: 'a list of { item, slot }' },
    ),
  ),
  slate: t.optional(
    'How REN fills the slate: with the `top` scores, or in sequence, where each pick counts as seen for the next. Defaults to the setting of the variant.',
    t.oneOf('top', 'sequential'),
  ),
  exploration: t.optional(
    'How this request explores. Defaults to the policy of the variant.',
    exploration,
  ),
  context: t.optional(
    'Your own JSON, stored in the log with the recommendation. Models do not use it. Defaults to none.',
    t.anyObject,
  ),
  afterPosition: t.optional('Waits for this log position. Defaults to no wait.', t.position),
  record: t.optional('If false, the slate is not logged and has no id. Defaults to true.', t.flag),
  explain: t.optional(
    'If true, each item has the parts of its relevance. The log does not store them. Defaults to false.',
    t.flag,
  ),
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
  id: t.optional(
    'Makes retries safe: a second event with the same id has no effect. Must not contain personal data. Without it, every event is new.',
    t.name,
  ),
  user: t.field('The user, who may be new.', t.name),
  item: t.optional('The item of the interaction; absent without an interaction.', t.name),
  reward: t.optional(
    'How good the interaction was; 0 and below are allowed. Requires `item`. Defaults to 1.',
    t.within(-largestReward, largestReward),
  ),
  type: t.optional(
    'The type of the interaction, such as click or purchase. Requires `item`. Models do not use it. Defaults to none.',
    t.name,
  ),
  recommendationId: t.optional('The recommendation it results from. Defaults to the last.', t.name),
  impressions: t.optional(
    'The items of the recommendation that the user has seen. Requires `recommendationId`. Without it, `item` is required.',
    t.names(limits.count),
  ),
  time: t.optional(
    'When it happened, in milliseconds since 1970, at most a day from now. Defaults to now.',
    t.eventTime,
  ),
})

/** Feedback on an item, or which items of a recommendation the user saw, or both. */
export type UserEvent = Readonly<Static<typeof userEvent>>

export const userEvents = t.batchOf('events', userEvent, limits.events, 'UserEvents')

/** An event that the service rejected, and why. */
export type Rejected = Static<typeof rejected>

export const recordReport = t.named('RecordReport', {
  position: t.field(
    'The log position of the last event. Pass it as `afterPosition` to a request that must include these events.',
    t.position,
  ),
  accepted: t.count('The number of events that are new in the log.'),
  repeated: t.count('The number of events whose ids were in the log already.'),
  rejected: t.field('The events that are not in the log, and why.', t.list(rejected)),
})

/** The result of recording events. Rejected events do not affect the others. */
export type RecordReport = Static<typeof recordReport>
