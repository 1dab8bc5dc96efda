import { expect, test } from 'vitest'

import { shrinkHeap, youngBytes } from './shrink-heap.ts'

test('shrinks the space for young objects, and leaves no global function behind', () => {
  let live: object[] = []
  for (let i = 0; i < 1e6; i++) {
    live.push({ i })
    if (live.length > 50_000) live = []
  }
  const before = youngBytes()
  shrinkHeap()
  expect(youngBytes()).toBeLessThan(before / 2)
  expect(globalThis).not.toHaveProperty('gc')
})
