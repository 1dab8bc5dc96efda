// Filters over the attributes of items.

import { Type } from 'typebox'

import type { Filter } from '../../serving/filter.ts'
import { limits } from '../limits.ts'
import { anyObject, closed, finite, flag, name, shownAs } from './words.ts'

const scalar = Type.Union([name, finite, flag], { description: 'a text, a number, true or false' })
const ordered = Type.Union([name, finite], { description: 'a text or a number' })
const some = { minItems: 1, maxItems: limits.count, description: 'a list of at least one' }

const conditions = Type.Union(
  [
    closed({ and: Type.Array(Type.Ref('Filter'), some) }),
    closed({ or: Type.Array(Type.Ref('Filter'), some) }),
    closed({ not: Type.Ref('Filter') }),
    closed({ attribute: name, equals: scalar }),
    closed({ attribute: name, in: Type.Array(scalar, some) }),
    closed({ attribute: name, lessThan: ordered }),
    closed({ attribute: name, greaterThan: ordered }),
    closed({ attribute: name, exists: flag }),
  ],
  { description: 'a filter: one condition, or and, or, not of filters' },
)

/** Checked by the service, which names the place in it that is wrong. */
export const filterSchema = Type.Unsafe<Filter>(
  shownAs(anyObject, Type.Cyclic({ Filter: conditions }, 'Filter')),
)
