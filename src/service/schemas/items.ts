// The schemas of items, users and the item map.

import { Type, type Static } from 'typebox'

import type { Attributes, LogEvent } from '../../storage/index.ts'
import { limits } from '../limits.ts'
import * as t from './builders.ts'

export const attributes = Type.Record(
  t.name,
  Type.Union([t.text, t.finite, t.flag, t.names(limits.count)], {
    expected: 'a string, a number, a boolean or an array of strings',
  }),
  { expected: 'strings, numbers, booleans or arrays of strings by name' },
)

const newItem = {
  attributes: t.optional('The attributes by name. They replace all earlier ones.', attributes),
  like: t.optional('Items that a new item resembles. It starts like them.', t.names(limits.count)),
  embedding: t.optional(
    'The embedding of a new item, with the dimension of the model. Its norm is at most 1,000,000.',
    Type.Array(t.finite, { maxItems: 4096, expected: 'an array of at most 4096 numbers' }),
  ),
}

/** An item to add or to update. The service checks each. */
export const itemToPut = t.named('NamedItemToPut', {
  item: t.field('The name of the item.', t.name),
  ...newItem,
})

/** The body of a request with the item's name in the path. */
export const itemOfPath = t.shownAs(
  Type.Object(
    { item: Type.Optional(Type.Never({ expected: 'absent, because the path names the item' })) },
    { expected: 'an object', 'x-needs-body': true },
  ),
  t.named('ItemToPut', newItem),
)

export const itemInfo = t.named('Item', {
  item: t.string('The name of the item.'),
  attributes: t.field('Its attributes by name.', Type.Unsafe<Attributes>(attributes)),
  impressions: t.count(
    'Its impressions over all variants. Each model group counts up to 2²⁴ (16,777,216).',
  ),
  interactions: t.count('Its interactions with a reward above 0, counted in the same way.'),
})

/** An item of the catalog with its attributes and counts. */
export type ItemInfo = Static<typeof itemInfo>

export const itemLabel = t.named('ItemLabel', {
  item: t.string('The name of the item.'),
  title: t.field('Its title; null if the catalog has none.', t.orNull(t.text)),
  image: t.field(
    'The address of its image; null if there is none, or its host is not allowed.',
    t.orNull(t.text),
  ),
})

/** How the dashboard shows an item. */
export type ItemLabel = Static<typeof itemLabel>

export const itemMap = t.named('ItemMap', {
  group: t.string('The model group.'),
  modelVersion: t.count('The version of its model.'),
  basis: t.field(
    'The vectors of the map: embeddings of the model, or factors of the transition memory while the model has little weight.',
    t.oneOf('model', 'memory'),
  ),
  count: t.count('The number of items in the catalog.'),
  items: t.field('The names of the items on the map.', t.list(t.text)),
  x: t.field('The position of each item on the first axis.', t.list(t.finite)),
  y: t.field('The position of each item on the second axis.', t.list(t.finite)),
  impressions: t.field('The impressions of each item in this group.', t.list(t.wholeNumber(0))),
  uncertainty: t.field('The uncertainty of each item, without its weight.', t.list(t.finite)),
  category: t.field(
    'The requested attribute of each item as a string, null for items without it; null if none was requested.',
    t.orNull(t.list(t.orNull(t.text))),
  ),
  variance: t.field(
    'The shares of the variance that the axes x and y explain.',
    Type.Unsafe<readonly [x: number, y: number]>({
      ...t.list(t.finite),
      expected: 'the shares of x and y',
    }),
  ),
  user: t.field(
    'The requested user on the same axes; null without one.',
    t.orNull(
      t.closed({
        x: t.number('The position on the first axis.'),
        y: t.number('The position on the second axis.'),
      }),
    ),
  ),
})

/** The items of the map in columns of equal length, one entry per item. */
export type ItemMap = Static<typeof itemMap>

const identity = {
  user: t.string('The name of the user.'),
  variant: t.string('The variant that serves the user.'),
}
const slates = t.count('The number of slates that the user was shown.')

export const userInfo = t.named('User', {
  ...identity,
  history: t.field(
    'The latest interactions with a reward above 0, newest first.',
    t.list(
      t.closed({
        item: t.string('The item.'),
        reward: t.number('The reward.'),
        time: t.moment('The time of the interaction, in milliseconds since 1970.'),
      }),
    ),
  ),
  slates,
})

/** A user's variant and history. */
export type UserInfo = Static<typeof userInfo>

export const userEntry = t.named('UserEntry', {
  ...identity,
  interactions: t.count('The number of interactions with a reward above 0.'),
  slates,
})

/** A user in a list. */
export type UserEntry = Static<typeof userEntry>

export const userEventPage = t.named('UserEventPage', {
  entries: t.field(
    'The events, newest first.',
    t.list(
      t.named('StoredEvent', {
        position: t.field('The log position of the event.', t.position),
        id: t.optional('The id of the event; absent if it has none.', t.text),
        event: t.field(
          'The event as the log stores it. Its `kind` determines its fields.',
          Type.Unsafe<LogEvent>(t.anyObject),
        ),
      }),
    ),
  ),
  next: t.field(
    'The value of `before` for the next page; null on the last page.',
    t.orNull(t.position),
  ),
})

/** One page of a user's events, newest first. */
export type UserEventPage = Static<typeof userEventPage>
