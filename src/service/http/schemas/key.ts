// API keys, as the outside sees them.

import { Type } from 'typebox'
import type { Static } from 'typebox'

import { closed, name, oneOf, orNull, time } from './words.ts'

const scopes = Type.Array(oneOf('recommend', 'events', 'admin'), {
  minItems: 1,
  maxItems: 3,
  uniqueItems: true,
  description: 'a list of recommend, events or admin, each at most once',
})

export const keyToMake = closed({ name, scopes }, 'KeyToMake')

const fields = { id: Type.String(), name: Type.String(), scopes, created: time }

export const keyEntry = closed({ ...fields, revoked: orNull(time) }, 'Key')

export const newKey = closed(
  { ...fields, key: Type.String({ description: 'the key with its secret, shown this once' }) },
  'NewKey',
)

export type KeyEntry = Static<typeof keyEntry>
