import { describe, expect, it } from 'vitest'

import { formatOf, maxBytes, refusalOf, sizeOf } from './import-part.tsx'

describe('a file to import', () => {
  it.each([
    ['orders.csv', 'csv'],
    ['ORDERS.CSV', 'csv'],
    ['a.b.jsonl', 'jsonl'],
    ['a.ndjson', 'jsonl'],
    ['orders.txt', null],
    ['constructor', null],
  ])('%s is read as %s', (name, format) => {
    expect(formatOf(name)).toBe(format)
  })

  it('is refused before it is sent if it cannot be imported', () => {
    expect(refusalOf({ name: 'a.csv', size: 10 })).toBe('')
    expect(refusalOf({ name: 'a.csv', size: 0 })).toMatch(/empty/)
    expect(refusalOf({ name: 'a.zip', size: 10 })).toMatch(/the name must end in/)
    expect(refusalOf({ name: 'a.csv', size: maxBytes + 1 })).toMatch(/exceeds the limit/)
  })

  it('is measured with its JSON escapes', () => {
    const weigh = (text: string): number => sizeOf({ name: 'a.csv', format: 'csv', text })
    expect(weigh('abc') - weigh('')).toBe(3)
    expect(weigh('\n"ä') - weigh('')).toBe(6)
  })
})
