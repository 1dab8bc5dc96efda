import { beforeAll, describe, expect, it, test } from 'vitest'
import { createEngine, createWorkspace, withOwnMemory } from './index.ts'
import type { Engine } from './index.ts'

describe('a workspace', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine({ kernel: 'reference' })
  })

  it('returns the same memory for the same name, and other memory for other names', () => {
    const workspace = createWorkspace(engine)
    const first = workspace.matrix('a', 2, 3)
    expect(workspace.matrix('a', 2, 3)).toBe(first)
    expect(workspace.matrix('a', 3, 1).address).toBe(first.address)
    expect(workspace.matrix('b', 2, 3).address).not.toBe(first.address)
    expect(workspace.within('layer').matrix('a', 2, 3).address).not.toBe(first.address)
    const inner = workspace.within('layer').within('cell')
    expect(workspace.within('layer.cell').matrix('a', 1, 1)).toBe(inner.matrix('a', 1, 1))
  })

  it('grows for a larger shape, and invalidates the earlier tensor', () => {
    const workspace = createWorkspace(engine)
    const small = workspace.matrix('a', 2, 3)
    const large = workspace.matrix('a', 40, 3)
    expect([large.rows, large.columns, large.values.length]).toEqual([40, 3, 120])
    expect(() => small.values).toThrow(expect.objectContaining({ code: 'use-after-free' }))
    expect(workspace.matrix('a', 2, 3).address).toBe(large.address)
  })

  it('holds lists of row numbers of any length', () => {
    const workspace = createWorkspace(engine)
    for (const rows of [Int32Array.of(3, 1, 2), Int32Array.of(7), Int32Array.of(0, 9, 9, 1)]) {
      expect(workspace.indices('rows', rows).values).toEqual(rows)
    }
  })
})

test('releasing own memory frees exactly the tensors created through it', async () => {
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
