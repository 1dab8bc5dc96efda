import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createArena, createMemory } from './arena.ts'
import type { Tensor } from './signature.ts'

const open = () => createArena(createMemory(false))
const code = (value: string) => expect.objectContaining({ code: value })

describe('an arena', () => {
  it('never lets live tensors overlap, in any order of allocations and frees', () => {
    const step = fc.record({ rows: fc.integer({ min: 1, max: 60 }), drop: fc.nat() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const arena = open()
        const live: Tensor[] = []
        for (const [mark, { rows, drop }] of steps.entries()) {
          if (drop % 3 === 0 && live.length > 0) {
            arena.free(live.splice(drop % live.length, 1)[0]!)
            continue
          }
          const tensor = arena.matrix(`t${mark}`, rows, 7)
          expect(tensor.values.every((value) => value === 0)).toBe(true)
          live.push(tensor)
          tensor.values.fill(tensor.address)
        }
        for (const tensor of live) {
          expect(tensor.values.every((value) => value === Math.fround(tensor.address))).toBe(true)
        }
      }),
    )
  })

  it('reuses freed memory and merges neighboring holes', () => {
    const arena = open()
    const parts = [1, 2, 3].map((i) => arena.matrix(`part ${i}`, 1, 16))
    arena.matrix('after', 1, 16)
    for (const part of [parts[1]!, parts[0]!, parts[2]!]) arena.free(part)
    expect(arena.matrix('whole', 3, 16).address).toBe(parts[0]!.address)
  })

  it('retains tensors when the memory grows', () => {
    const arena = open()
    const small = arena.matrix('small', 1, 3)
    small.values.set([1, 2, 3])
    const before = small.values
    arena.matrix('large', 1000, 1000)
    expect(before.length).toBe(0)
    expect([...small.values]).toEqual([1, 2, 3])
    small.values[0] = 9
    expect(small.values[0]).toBe(9)
  })

  it('frees the tensors of a scope, also if the scope fails', () => {
    const arena = open()
    const leaked: Tensor[] = []
    const failing = () =>
      arena.scope((temporary) => {
        leaked.push(temporary.matrix('temporary', 2, 2))
        throw new Error('interrupted')
      })
    expect(failing).toThrow('interrupted')
    expect(() => leaked[0]!.values).toThrow(code('use-after-free'))
    expect(arena.scope((temporary) => temporary.matrix('next', 2, 2).address)).toBe(
      leaked[0]!.address,
    )
  })

  it('names a tensor that does not fit 4 GB, and stays usable', () => {
    const arena = open()
    expect(() => arena.matrix('item embeddings', 70_000_000, 64)).toThrow(
      expect.objectContaining({
        code: 'out-of-memory',
        message: expect.stringContaining('item embeddings needs 17,920,000,000 bytes'),
      }),
    )
    expect(arena.matrix('small', 1, 1).values.length).toBe(1)
  })

  it('grows only by the bytes that the last hole lacks', () => {
    const arena = open()
    const megabytes = (name: string, count: number) => arena.matrix(name, count, 2 ** 18)
    const size = () => arena.memory.buffer.byteLength / 2 ** 20
    const first = megabytes('first', 40)
    const before = size()
    arena.free(first)
    const second = megabytes('second', 64)
    expect(second.address).toBe(first.address)
    expect(size() - before).toBeLessThanOrEqual(64 - 40 + 1)
  })

  it('reports the bytes in use, not the size of the memory', () => {
    const arena = open()
    arena.free(arena.matrix('large', 1000, 1000))
    arena.vector('retained', 16)
    expect(() => arena.matrix('too large', 2 ** 20, 2 ** 20)).toThrow(
      /in addition to the 64 in use/,
    )
  })

  it.each([0, -1, 1.5, Number.NaN])('refuses a matrix of %s rows', (rows) => {
    expect(() => open().matrix('x', rows, 3)).toThrow(code('invalid-argument'))
    expect(() => open().indices('targets', rows)).toThrow(/targets/)
  })

  it('shares memory and lifetime between a tensor and its parts', () => {
    const arena = open()
    const whole = arena.matrix('whole', 4, 3)
    const part = arena.part(arena.part(whole, 1, 3), 1, 2)
    part.values.set([1, 2, 3, 4, 5, 6])
    expect([...whole.values.subarray(6)]).toEqual([1, 2, 3, 4, 5, 6])
    expect(arena.part(whole, 2, 3, 2).columns).toBe(2)
    expect(arena.part(whole, 4, 0).values).toHaveLength(0)
    expect(() => arena.part(whole, 2, 3)).toThrow(code('shape-mismatch'))
    expect(() => arena.part(whole, 4 / 3, 1)).toThrow(code('shape-mismatch'))
    expect(() => arena.part(whole, -1, 1)).toThrow(code('shape-mismatch'))
    expect(() => arena.part(whole, 1, -1)).toThrow(code('invalid-argument'))
    expect(() => arena.free(part)).toThrow('whole is a part; free the whole')
    arena.free(whole)
    expect(() => arena.part(part, 0, 1)).toThrow(code('use-after-free'))
    expect(arena.owns(part)).toBe(false)
    expect(() => part.values).toThrow(code('use-after-free'))
  })

  it('refuses to free twice', () => {
    const arena = open()
    const tensor = arena.vector('x', 3)
    arena.free(tensor)
    expect(() => arena.free(tensor)).toThrow(code('use-after-free'))
  })

  it('refuses tensors of another arena', () => {
    const foreign = open().matrix('foreign', 2, 2)
    expect(() => open().free(foreign)).toThrow(code('use-after-free'))
    expect(() => open().part(foreign, 0, 1)).toThrow(code('use-after-free'))
  })

  it.each([null, undefined, 7, 'x', {}])('refuses %o for a tensor or a body', (value) => {
    const arena = open()
    const none = value as never
    for (const call of [arena.free, arena.scope, () => arena.part(none, 0, 1)]) {
      expect(() => call(none)).toThrow(code('invalid-argument'))
    }
  })

  it('refuses allocations after it is closed, and invalidates its tensors', () => {
    const arena = open()
    const [matrix, list] = [arena.matrix('matrix', 2, 2), arena.indices('list', 2)]
    const part = arena.part(matrix, 1, 1)
    arena.close()
    const calls = [
      () => arena.matrix('more', 1, 1),
      () => arena.vector('more', 1),
      () => arena.indices('more', 1),
      () => arena.scope((temporary) => temporary.vector('more', 1)),
      () => arena.part(matrix, 0, 1),
      () => arena.free(list),
      () => matrix.values,
      () => list.values,
      () => part.values,
    ]
    for (const call of calls) expect(call).toThrow(code('use-after-free'))
    expect(arena.owns(matrix)).toBe(false)
  })
})

describe('a memory', () => {
  it('is refused with a reason if WebAssembly or memory is missing', () => {
    const { WebAssembly: original } = globalThis
    const replace = (value: unknown) => Object.assign(globalThis, { WebAssembly: value })
    try {
      replace(undefined)
      expect(() => createMemory(false)).toThrow(code('unsupported-platform'))
      replace({
        Memory: function refuse() {
          throw new RangeError('could not allocate memory')
        },
      })
      expect(() => createMemory(false)).toThrow(code('out-of-memory'))
    } finally {
      replace(original)
    }
  })
})
