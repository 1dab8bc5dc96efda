import { describe, expect, it } from 'vitest'

import { attributesOf } from './map-view.tsx'

describe('the attributes for categories', () => {
  it('are all attributes, those with few values first', () => {
    const items = [
      { price: 1, kind: 'lamp', sale: true },
      { price: 2, kind: 'lamp', sale: false, tags: ['a', 'b'] },
      { price: 3, kind: 'desk', sale: true },
      { price: 4, kind: 'shelf' },
    ]
    expect(attributesOf(items)).toEqual(['tags', 'sale', 'kind', 'price'])
    expect(attributesOf([])).toEqual([])
  })
})
