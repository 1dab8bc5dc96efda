import { expect, it } from 'vitest'

import { formatParts, differingParts } from './relevance-parts.tsx'

const parts = (model: number, memory: number, popularity: number, clickRate: number) => ({
  parts: { model, memory, popularity, clickRate },
})

it('parts that are the same for all items of a slate are left out', () => {
  const slate = [parts(0, 2, 1, -2.3), parts(0, 3, 0.5, -2.3)]
  expect(differingParts(slate)).toEqual(['memory', 'popularity'])
  expect(formatParts({ ...slate[0]!, names: differingParts(slate) })).toBe(
    'memory 2.00, popularity 1.00',
  )
})

it('all parts stay if no part differs or there are none', () => {
  expect(differingParts([parts(1, 2, 3, 4)])).toHaveLength(4)
  expect(differingParts([{}])).toHaveLength(4)
})
