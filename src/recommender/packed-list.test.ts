import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { joinRows, PackedList, formOf, RowPool } from './packed-list.ts'

const form = formOf({ flags: 'uint8', times: 'float64', items: 'int32', rewards: 'float32' })
const anyRow = fc.record({
  flags: fc.nat(255),
  times: fc.double({ noNaN: true }),
  items: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  rewards: fc.float({ noNaN: true }),
})
type Row = typeof anyRow extends fc.Arbitrary<infer T> ? T : never

const rowsOf = (list: PackedList<typeof form.layout>, from?: number, to?: number): Row[] => {
  const { flags, times, items, rewards } = list.columns(from, to)
  return Array.from(flags, (flag, i) => ({
    flags: flag,
    times: times[i]!,
    items: items[i]!,
    rewards: rewards[i]!,
  }))
}
const listOf = (rows: readonly Row[]): PackedList<typeof form.layout> => {
  const list = new PackedList(new RowPool(form))
  for (const row of rows) list.push(row)
  return list
}

type Change = readonly Row[] | number | Row | 'release'

function apply(
  change: Change,
  list: PackedList<typeof form.layout>,
  expected: { rows: Row[]; dropped: number },
): void {
  if (change === 'release') {
    list.release()
    expected.rows = []
  } else if (typeof change === 'number') {
    const count = Math.min(change, expected.rows.length)
    list.dropFirst(count)
    expected.rows = expected.rows.slice(count)
    expected.dropped += count
  } else if ('items' in change) {
    list.push(change)
    expected.rows = [...expected.rows, change]
  } else {
    list.append(listOf(change).columns())
    expected.rows = [...expected.rows, ...change]
  }
}

describe('a packed list', () => {
  it('contains what an array would, however the lists of its pool grow, drop rows and are released', () => {
    const anyChange = fc.oneof(
      fc.array(anyRow, { maxLength: 40 }),
      fc.nat(9),
      anyRow,
      fc.constant('release' as const),
    )
    const anySteps = fc.array(fc.tuple(fc.nat(4), anyChange), { maxLength: 120 })
    fc.assert(
      fc.property(anySteps, (steps) => {
        const pool = new RowPool(form)
        const lists = Array.from({ length: 5 }, () => new PackedList(pool))
        const expected = lists.map(() => ({ rows: [] as Row[], dropped: 0 }))
        for (const [which, change] of steps) {
          apply(change, lists[which]!, expected[which]!)
          expect(lists.map((list) => rowsOf(list))).toEqual(expected.map(({ rows }) => rows))
        }
        for (const [i, { rows, dropped }] of expected.entries()) {
          const half = rows.length >> 1
          expect(rowsOf(lists[i]!, half)).toEqual(rows.slice(half))
          expect([lists[i]!.length, lists[i]!.dropped]).toEqual([rows.length, dropped])
        }
      }),
    )
  })

  it('is copied and joined like an array, and copies are independent', () => {
    fc.assert(
      fc.property(fc.array(anyRow), fc.array(anyRow), (some, more) => {
        const list = listOf(some)
        const joined = PackedList.of(new RowPool(form), joinRows(form, [list, listOf(more)]), 7)
        expect(rowsOf(joined)).toEqual([...some, ...more])
        expect(joined.dropped).toBe(7)
        joined.columns().items.fill(1)
        expect(rowsOf(list)).toEqual(some)
      }),
    )
  })

  it('gives views of its own memory', () => {
    const list = listOf([{ flags: 1, times: 2, items: 3, rewards: 4 }])
    list.columns().items[0] = 9
    expect(rowsOf(list)[0]!.items).toBe(9)
  })

  it.each([
    ['all grow together', (i: number, n: number) => i % n],
    ['one after the other grows', (i: number, n: number) => Math.floor(i / 120) % n],
    ['all grow at random', (i: number, n: number) => Math.floor(n * Math.abs(Math.sin(i * i)))],
  ])('retains its rows next to other lists, with little overhead, if %s', (_, next) => {
    const pool = new RowPool(form)
    const lists = Array.from({ length: 2000 }, () => new PackedList(pool))
    const expected = lists.map((): number[] => [])
    for (let i = 0; i < 240_000; i++) {
      const which = next(i, lists.length)
      lists[which]!.push({ flags: 0, times: 0, items: i, rewards: 0 })
      expected[which]!.push(i)
    }
    expect(lists.map((list) => [...list.columns().items])).toEqual(expected)
    const buffers = new Set(lists.map((list) => list.columns().items.buffer))
    const held = [...buffers].reduce((sum, { byteLength }) => sum + byteLength / 4, 0)
    expect(held).toBeLessThan(2.2 * 240_000)
  })

  it('has nothing to drop until it is a quarter longer than the limit', () => {
    const row = { flags: 0, times: 0, items: 0, rewards: 0 }
    const list = listOf(Array.from({ length: 10 }, () => row))
    expect([list.excess(Infinity), list.excess(8), list.excess(7)]).toEqual([0, 0, 3])
  })
})
