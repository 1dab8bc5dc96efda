// Long lists, by pages.

import { Type } from 'typebox'
import type { Static, TSchema } from 'typebox'

import type { Page } from '../../service.ts'
import { limits } from '../limits.ts'
import { closed, list, name, orNull, wholeNumber } from './words.ts'

export const pageQuery = {
  prefix: Type.Optional(name),
  after: Type.Optional(name),
  limit: Type.Optional(wholeNumber(1, limits.count)),
}

export const pageOf = <T extends TSchema>(entry: T, title: string) =>
  Type.Unsafe<Page<Static<T>>>(closed({ entries: list(entry), next: orNull(Type.String()) }, title))
