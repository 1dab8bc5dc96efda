import { describe, expect, it } from 'vitest'

import type { Tensor } from '../kernels/index.ts'
import { createWhiteningCache } from './whitening-cache.ts'

const table = { name: 'items' } as Tensor
const of = (key: object, visits = 3, more = {}) => ({
  key,
  dropped: 0,
  table,
  version: 1,
  visits,
  ...more,
})
const w = (value: number, length = 8) => new Float32Array(length).fill(value)

describe('kept whitenings', () => {
  it('are given back to the same past, or one that goes on from it', () => {
    const cache = createWhiteningCache()
    const [ann, bob] = [{}, {}]
    cache.store(of(ann), w(1))
    cache.store(of(bob, 5), w(2))
    const out = w(0)
    expect(cache.read(of(ann, 4), out)).toBe(3)
    expect(out).toEqual(w(1))
    expect(cache.read(of(bob, 5), out)).toBe(5)
    expect(out).toEqual(w(2))
  })

  it.each([
    ['somebody else', {}],
    ['a shorter past', { visits: 2 }],
    ['a past whose beginning was dropped', { dropped: 1 }],
    ['another version of the items', { version: 2 }],
    ['another table', { table: { name: 'others' } as Tensor }],
  ])('are not for %s', (what, more) => {
    const cache = createWhiteningCache()
    const ann = {}
    cache.store(of(ann), w(1))
    const out = w(0)
    const key = what === 'somebody else' ? {} : ann
    expect(cache.read(of(key, 3, more), out)).toBeNull()
    expect(out).toEqual(w(0))
  })

  it('follow a past that grows, in the place that it has', () => {
    const cache = createWhiteningCache()
    const ann = {}
    cache.store(of(ann, 3), w(1))
    cache.store(of(ann, 4), w(2))
    const out = w(0)
    expect(cache.read(of(ann, 4), out)).toBe(4)
    expect(out).toEqual(w(2))
  })

  it('give up the oldest when there are too many', () => {
    const cache = createWhiteningCache()
    const length = 2 ** 20 // of which two have room
    const [one, two, three] = [{}, {}, {}]
    for (const [at, key] of [one, two, three].entries()) cache.store(of(key), w(at, length))
    const out = w(9, length)
    expect(cache.read(of(one), out)).toBeNull()
    expect(cache.read(of(two), out)).toBe(3)
    expect(out[0]).toBe(1)
    expect(cache.read(of(three), out)).toBe(3)
    expect(out[0]).toBe(2)
  })
})
