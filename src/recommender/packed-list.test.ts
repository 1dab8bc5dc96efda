import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formOf, PackedList } from './packed-list.ts'

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
  const list = new PackedList(form)
  for (const row of rows) list.push(row)
  return list
}

describe('a packed list', () => {
  it('holds what an array would, as rows come at the end and go at the start', () => {
    const anyStep = fc.oneof(fc.array(anyRow, { maxLength: 9 }), fc.nat(5), anyRow)
    fc.assert(
      fc.property(fc.array(anyStep), (steps) => {
        const list = new PackedList(form)
        let rows: Row[] = []
        let dropped = 0
        for (const step of steps) {
          if (Array.isArray(step)) {
            list.append(listOf(step).columns())
            rows = [...rows, ...step]
          } else if (typeof step === 'number') {
            const count = Math.min(step, rows.length)
            list.dropFirst(count)
            rows = rows.slice(count)
            dropped += count
          } else {
            list.push(step)
            rows = [...rows, step]
          }
        }
        expect(rowsOf(list)).toEqual(rows)
        expect(rowsOf(list, rows.length >> 1)).toEqual(rows.slice(rows.length >> 1))
        expect([list.length, list.dropped]).toEqual([rows.length, dropped])
      }),
    )
  })

  it('is copied in part and joined as arrays are, and copies are of their own', () => {
    fc.assert(
      fc.property(fc.array(anyRow), fc.array(anyRow), fc.nat(), (some, more, at) => {
        const cut = at % (some.length + 1)
        const list = listOf(some)
        expect(rowsOf(PackedList.of(form, list.columns(), cut, some.length))).toEqual(
          some.slice(cut),
        )
        const joined = PackedList.joined(form, [list, listOf(more)], 7)
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

  it('has nothing to drop up to a quarter more than what should stay', () => {
    const row = { flags: 0, times: 0, items: 0, rewards: 0 }
    const list = listOf(Array.from({ length: 10 }, () => row))
    expect([list.excess(Infinity), list.excess(8), list.excess(7)]).toEqual([0, 0, 3])
  })
})
