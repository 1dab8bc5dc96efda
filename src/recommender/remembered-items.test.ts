// Cached scores of the memory equal newly computed ones, bit for bit.

import { expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { Memory, Transitions, memoryFeature, memoryRule } from '../relevance/index.ts'
import { createRememberedItems } from './relevance.ts'
import { emptyState } from './state.ts'

it('returns the current scores after any change of history, counts or item count', () => {
  const random = createRandom('remembered')
  const names = Array.from({ length: 50 }, (_, item) => String(item))
  const state = emptyState(names)
  const users = ['ann', 'bob', 'cid', 'dan']
  let memory = new Memory(new Transitions(0.25), memoryRule)
  // Fewer slots than users, so that slots are reused.
  const rememberedBy = createRememberedItems(3)
  for (let step = 0; step < 400; step++) {
    const name = users[random.integer(users.length)]!
    const change = random.integer(4)
    if (change === 0 || !state.users.has(name)) {
      const item = String(random.integer(names.length))
      state.apply({ kind: 'interaction', user: name, item, reward: 1, time: step })
    }
    const { history } = state.users.get(name)!
    const items = history.column('items')
    if (change === 1) memory.transitions.count(items, items.length - 1, items.length, 1)
    if (change === 2 && step % 50 === 0) memory = new Memory(new Transitions(1), memoryRule)
    const itemCount = 10 + Math.floor(step / 100)
    const scores = memory.score(items)
    const expected = Array.from(scores.values, (score) => memoryFeature(score, itemCount))
    const expectedItems = [...scores.items]
    for (let time = 0; time < 2; time++) {
      const remembered = rememberedBy(memory, history, itemCount)
      expect([...remembered.items]).toEqual(expectedItems)
      expect([...remembered.features]).toEqual(expected)
    }
  }
})
