import { describe, expect, it } from 'vitest'

import type { Tensor } from '../kernels/index.ts'
import { createWhiteningCache } from './ren-search.ts'

const table = { name: 'items' } as Tensor
/** The first of items 1, 2, 3, … */
const first = (count: number) => Int32Array.from({ length: count }, (_, i) => i + 1)
const of = (user: object, visits = 3, more = {}) => ({
  user,
  table,
  version: 1,
  visits: first(visits),
  ...more,
})
const w = (value: number, length = 8) => new Float32Array(length).fill(value)

describe('the whitening cache', () => {
  it('returns W for the same history and for a longer one', () => {
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
    ['another user', {}],
    ['a shorter history', { visits: first(2) }],
    ['a history with a new whole block of visits', { visits: first(32) }],
    ['a history whose first visits were dropped', { visits: first(5).subarray(1) }],
    ['a history that a late reward has joined', { visits: Int32Array.of(1, 9, 2, 3) }],
    ['another version of the items', { version: 2 }],
    ['another table', { table: { name: 'others' } as Tensor }],
  ])('returns nothing for %s', (what, more) => {
    const cache = createWhiteningCache()
    const ann = {}
    cache.store(of(ann), w(1))
    const out = w(0)
    const key = what === 'another user' ? {} : ann
    expect(cache.read(of(key, 3, more), out)).toBeNull()
    expect(out).toEqual(w(0))
  })

  it('retains a copy of the visits, which the next event may overwrite', () => {
    const cache = createWhiteningCache()
    const ann = {}
    const visits = first(3)
    cache.store(of(ann, 3, { visits }), w(1))
    visits[0] = 9
    expect(cache.read(of(ann), w(0))).toBe(3)
    expect(cache.read(of(ann, 3, { visits }), w(0))).toBeNull()
  })

  it('replaces the W of a history that has grown', () => {
    const cache = createWhiteningCache()
    const ann = {}
    cache.store(of(ann, 3), w(1))
    cache.store(of(ann, 4), w(2))
    const out = w(0)
    expect(cache.read(of(ann, 4), out)).toBe(4)
    expect(out).toEqual(w(2))
  })

  it('takes a W of another dimension for the same history', () => {
    const cache = createWhiteningCache()
    const ann = {}
    cache.store(of(ann), w(1))
    cache.store(of(ann), w(2, 18))
    const out = w(0, 18)
    expect(cache.read(of(ann), out)).toBe(3)
    expect(out).toEqual(w(2, 18))
  })

  it('evicts the oldest entry when it is full', () => {
    const cache = createWhiteningCache()
    const length = 2 ** 20 // room for two
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
