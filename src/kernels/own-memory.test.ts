import { expect, test } from 'vitest'
import { createEngine } from './engine.ts'
import { withOwnMemory } from './own-memory.ts'

test('what was made through an engine of its own goes at once, and nothing else does', async () => {
  const engine = await createEngine()
  const other = engine.vector('other', 4)
  const own = withOwnMemory(engine)
  const created = [own.engine.matrix('a', 2, 3), own.engine.vector('b', 5)]
  const list = own.engine.indices('c', 7)
  const early = own.engine.vector('d', 8)
  own.engine.free(early)
  own.release()
  for (const tensor of [...created, list, early]) {
    expect(() => tensor.values).toThrow(expect.objectContaining({ code: 'use-after-free' }))
  }
  expect(other.values).toHaveLength(4)
  own.release()
  expect(own.engine.vector('e', 2).values).toHaveLength(2)
  engine.close()
})
