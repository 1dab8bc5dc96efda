import { describe, expect, it } from 'vitest'

import type { Tensor } from '../kernels/index.ts'
import { createKeptWhitenings } from './kept-whitenings.ts'

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
    const kept = createKeptWhitenings()
    const [ann, bob] = [{}, {}]
    kept.keep(of(ann), w(1))
    kept.keep(of(bob, 5), w(2))
    const out = w(0)
    expect(kept.read(of(ann, 4), out)).toBe(3)
    expect(out).toEqual(w(1))
    expect(kept.read(of(bob, 5), out)).toBe(5)
    expect(out).toEqual(w(2))
  })

  it.each([
    ['somebody else', {}],
    ['a shorter past', { visits: 2 }],
    ['a past whose beginning was dropped', { dropped: 1 }],
    ['another version of the items', { version: 2 }],
    ['another table', { table: { name: 'others' } as Tensor }],
  ])('are not for %s', (what, more) => {
    const kept = createKeptWhitenings()
    const ann = {}
    kept.keep(of(ann), w(1))
    const out = w(0)
    const key = what === 'somebody else' ? {} : ann
    expect(kept.read(of(key, 3, more), out)).toBeNull()
    expect(out).toEqual(w(0))
  })

  it('follow a past that grows, in the place that it has', () => {
    const kept = createKeptWhitenings()
    const ann = {}
    kept.keep(of(ann, 3), w(1))
    kept.keep(of(ann, 4), w(2))
    const out = w(0)
    expect(kept.read(of(ann, 4), out)).toBe(4)
    expect(out).toEqual(w(2))
  })

  it('give up the oldest when there are too many', () => {
    const kept = createKeptWhitenings()
    const length = 2 ** 20 // of which two have room
    const [one, two, three] = [{}, {}, {}]
    for (const [at, key] of [one, two, three].entries()) kept.keep(of(key), w(at, length))
    const out = w(9, length)
    expect(kept.read(of(one), out)).toBeNull()
    expect(kept.read(of(two), out)).toBe(3)
    expect(out[0]).toBe(1)
    expect(kept.read(of(three), out)).toBe(3)
    expect(out[0]).toBe(2)
  })
})
