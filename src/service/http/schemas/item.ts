// Items of the catalog.

import { Type } from 'typebox'

import type { SimilarItem } from '../../../recommender/index.ts'
import type { Attributes } from '../../../storage/index.ts'
import type { ItemInfo } from '../../service.ts'
import type { ItemLabel } from '../labels.ts'
import { limits } from '../limits.ts'
import { answers, closed, finite, flag, list, name, names, orNull, wholeNumber } from './words.ts'

const attributes = Type.Record(
  name,
  Type.Union([Type.String(), finite, flag, names(limits.count)], {
    description: 'a text, a number, true, false or a list of texts',
  }),
  { description: 'texts, numbers, true, false or lists of texts by name' },
)

const newItem = {
  attributes: Type.Optional(attributes),
  like: Type.Optional(names(limits.count)),
  embedding: Type.Optional(
    Type.Array(finite, { maxItems: 4096, description: 'a list of at most 4096 numbers' }),
  ),
}

/** An item whose name is in the path. */
export const itemToPut = closed(newItem, 'ItemToPut')

export const itemsToPut = closed(
  {
    items: Type.Array(closed({ item: name, ...newItem }, 'NamedItemToPut'), {
      minItems: 1,
      maxItems: limits.items,
      description: `a list of 1 to ${limits.items} items`,
    }),
  },
  'ItemsToPut',
)

export const itemInfo = answers<ItemInfo>()(
  closed(
    {
      item: Type.String(),
      attributes: Type.Unsafe<Attributes>(attributes),
      impressions: wholeNumber(0),
      takes: wholeNumber(0),
    },
    'Item',
  ),
)

export const labelRequest = closed({ items: names(limits.items) }, 'LabelRequest')

export const itemLabels = closed(
  {
    labels: list(
      answers<ItemLabel>()(
        closed(
          { item: Type.String(), title: orNull(Type.String()), image: orNull(Type.String()) },
          'ItemLabel',
        ),
      ),
    ),
  },
  'ItemLabels',
)

export const similarItems = closed(
  {
    items: list(
      answers<SimilarItem>()(
        closed(
          {
            item: Type.String(),
            similarity: finite,
            /** They add up to the similarity. */
            parts: closed({ model: finite, memory: finite }),
          },
          'SimilarItem',
        ),
      ),
    ),
  },
  'SimilarItems',
)
