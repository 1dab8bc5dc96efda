// The catalog in two dimensions.

import { Type } from 'typebox'

import type { ItemMap } from '../../item-map.ts'
import { answers, closed, finite, list, oneOf, orNull, wholeNumber } from './words.ts'

const text = Type.String()

export const itemMap = answers<ItemMap>()(
  closed(
    {
      group: text,
      modelVersion: wholeNumber(0),
      basis: oneOf('model', 'memory'),
      count: wholeNumber(0),
      items: list(text),
      x: list(finite),
      y: list(finite),
      impressions: list(wholeNumber(0)),
      uncertainty: list(finite),
      category: orNull(list(orNull(text))),
      variance: Type.Unsafe<readonly [number, number]>({
        ...list(finite),
        description: 'the shares of x and y',
      }),
      user: orNull(closed({ x: finite, y: finite })),
    },
    'ItemMap',
  ),
)
