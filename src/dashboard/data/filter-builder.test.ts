import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { filterText, noCondition, operators, scalarOf } from './filter-builder.tsx'
import type { Condition, Operator } from './filter-builder.tsx'

const one = (attribute: string, operator: Operator, value = ''): unknown =>
  JSON.parse(filterText([{ attribute, operator, value }]))

describe('a filter from conditions', () => {
  it('has the form of the API', () => {
    expect(one('kind', '=', 'light')).toEqual({ attribute: 'kind', equals: 'light' })
    expect(one('kind', 'in', 'light, 3,')).toEqual({ attribute: 'kind', in: ['light', 3] })
    expect(one('price', '<', '30')).toEqual({ attribute: 'price', lessThan: 30 })
    expect(one('price', '>', 'true')).toEqual({ attribute: 'price', greaterThan: 'true' })
    expect(one(' sale ', 'exists')).toEqual({ attribute: 'sale', exists: true })
  })

  it('combines conditions and leaves out incomplete ones', () => {
    const price: Condition = { attribute: 'price', operator: '>', value: '5' }
    const sale: Condition = { attribute: 'sale', operator: '=', value: 'true' }
    expect(JSON.parse(filterText([price, noCondition, sale]))).toEqual({
      and: [
        { attribute: 'price', greaterThan: 5 },
        { attribute: 'sale', equals: true },
      ],
    })
    expect(filterText([noCondition])).toBe('')
  })

  it('treats quoted values as strings', () => {
    expect(scalarOf('"30"')).toBe('30')
    expect(scalarOf('"true"')).toBe('true')
    expect(scalarOf(' 3e1 ')).toBe(30)
    expect(scalarOf('Infinity')).toBe('Infinity')
  })

  it('is JSON or empty for any input', () => {
    const condition = fc.record({
      attribute: fc.string(),
      operator: fc.constantFrom(...operators),
      value: fc.string(),
    })
    fc.assert(
      fc.property(fc.array(condition), (conditions) => {
        const text = filterText(conditions)
        expect(text === '' || typeof JSON.parse(text) === 'object').toBe(true)
      }),
    )
  })
})
