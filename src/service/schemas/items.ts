// The schemas of items, users and the item map.

import { Type, type Static } from 'typebox'

import type { Attributes, LogEvent } from '../../storage/index.ts'
import { limits } from '../limits.ts'
import * as t from './words.ts'

export const attributes = Type.Record(
  t.name,
  Type.Union([Type.String(), t.finite, t.flag, t.names(limits.count)], {
    description: 'a text, a number, true, false or a list of texts',
  }),
  { description: 'texts, numbers, true, false or lists of texts by name' },
)

export const itemInfo = t.named('Item', {
  item: Type.String(),
  attributes: Type.Unsafe<Attributes>(attributes),
  /** Over all variants. Each model group counts up to 2²⁴ (16,777,216). */
  impressions: t.wholeNumber(0),
  /** Interactions with a reward above 0, counted in the same way. */
  interactions: t.wholeNumber(0),
})

/** An item of the catalog with its attributes and counts. */
export type ItemInfo = Static<typeof itemInfo>

const text = Type.String()

export const itemLabel = t.named('ItemLabel', {
  item: text,
  /** Null if the catalog has no title; the dashboard then shows the name of the item. */
  title: t.orNull(text),
  /** Null if there is no image, or its host is not allowed. */
  image: t.orNull(text),
})

/** How the dashboard shows an item. */
export type ItemLabel = Static<typeof itemLabel>

export const itemMap = t.named('ItemMap', {
  group: text,
  modelVersion: t.wholeNumber(0),
  /** The vectors of the map: embeddings of the model, or factors of the memory while the model counts little. */
  basis: t.oneOf('model', 'memory'),
  /** Items in the catalog. */
  count: t.wholeNumber(0),
  items: t.list(text),
  x: t.list(t.finite),
  y: t.list(t.finite),
  /** The impressions in this group. */
  impressions: t.list(t.wholeNumber(0)),
  /** The uncertainty of each item, without its weight. */
  uncertainty: t.list(t.finite),
  /** The requested attribute of each item as text; null if it is absent, or none was requested. */
  category: t.orNull(t.list(t.orNull(text))),
  /** The share of the variance that each axis explains. */
  variance: Type.Unsafe<readonly [x: number, y: number]>({
    ...t.list(t.finite),
    description: 'the shares of x and y',
  }),
  /** The requested user on the same axes; null without one. */
  user: t.orNull(t.closed({ x: t.finite, y: t.finite })),
})

/** The items of the map in columns of equal length, one entry per item. */
export type ItemMap = Static<typeof itemMap>

export const userInfo = t.named('User', {
  user: text,
  variant: text,
  /** Newest first. */
  history: t.list(t.closed({ item: text, reward: t.finite, time: t.time })),
  slates: t.wholeNumber(0),
})

/** A user's variant and history. */
export type UserInfo = Static<typeof userInfo>

export const userEntry = t.named('UserEntry', {
  user: text,
  variant: text,
  interactions: t.wholeNumber(0),
  slates: t.wholeNumber(0),
})

/** A user in a list. */
export type UserEntry = Static<typeof userEntry>

export const userEventPage = t.named('UserEventPage', {
  entries: t.list(
    t.named('StoredEvent', {
      position: t.position,
      id: Type.Optional(text),
      event: Type.Unsafe<LogEvent>(t.anyObject),
    }),
  ),
  /** The value of `before` for the next page; null on the last page. */
  next: t.orNull(t.position),
})

/** One page of a user's events, newest first. */
export type UserEventPage = Static<typeof userEventPage>
