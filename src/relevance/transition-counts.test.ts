import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { Transitions, type Backward } from './transition-counts.ts'

const backwards: readonly Backward[] = [0, 0.25, 0.5, 1]
const histories = fc.array(fc.array(fc.nat(40), { maxLength: 30 }), { maxLength: 12 })

/** By lag. */
const weights = [48, 28, 20, 16, 16, 12, 12, 8, 8, 8]

/** A plain computation: every pair of every history, in a map. */
function recount(all: readonly (readonly number[])[], backward: Backward): Map<string, number> {
  const counts = new Map<string, number>()
  const add = (from: number, to: number, by: number) => {
    if (by > 0) counts.set(`${from} ${to}`, (counts.get(`${from} ${to}`) ?? 0) + by)
  }
  for (const items of all) {
    for (const [later, item] of items.entries()) {
      for (let lag = 1; lag <= weights.length && lag <= later; lag++) {
        const before = items[later - lag]!
        add(before, item, weights[lag - 1]!)
        add(item, before, backward * weights[lag - 1]!)
      }
    }
  }
  return counts
}

function contentsOf(transitions: Transitions): Map<string, number> {
  const counts = new Map<string, number>()
  for (let item = 0; item <= 40; item++) {
    let neighbors = 0
    transitions.each(item, (neighbor, count) => {
      neighbors += 1
      counts.set(`${item} ${neighbor}`, count)
    })
    expect(transitions.size(item)).toBe(neighbors)
  }
  expect(transitions.pairs).toBe(counts.size)
  return counts
}

const sortedEntries = (counts: Map<string, number>) =>
  [...counts].toSorted(([a], [b]) => a.localeCompare(b))

describe('transition counts', () => {
  it('equal a recount of the remaining histories after any additions and removals', () => {
    fc.assert(
      fc.property(histories, fc.nat(3), fc.infiniteStream(fc.boolean()), (all, which, coins) => {
        const backward = backwards[which]!
        const transitions = new Transitions(backward)
        const left: number[][] = []
        for (const items of all) {
          transitions.count(Int32Array.from(items), 0, items.length, 1)
          left.push(items)
          if (coins.next().value && left.length > 1) {
            const gone = Int32Array.from(left.shift()!)
            transitions.count(gone, 0, gone.length, -1)
          }
        }
        const expected = recount(left, backward)
        expect(sortedEntries(contentsOf(transitions))).toEqual(sortedEntries(expected))
        for (let item = 0; item <= 40; item++) {
          let [row, column] = [0, 0]
          for (const [pair, count] of expected) {
            const [from, to] = pair.split(' ').map(Number)
            if (from === item) row += count
            if (to === item) column += count
          }
          expect(transitions.rowTotal(item)).toBe(row)
          expect(transitions.columnTotal(item)).toBe(column)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('counted one interaction at a time equal those of the whole history', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40), { maxLength: 60 }), (items) => {
        const [whole, stepwise] = [new Transitions(0.25), new Transitions(0.25)]
        const list = Int32Array.from(items)
        whole.count(list, 0, list.length, 1)
        for (let end = 1; end <= list.length; end++) stepwise.count(list, end - 1, end, 1)
        expect(sortedEntries(contentsOf(stepwise))).toEqual(sortedEntries(contentsOf(whole)))
      }),
      { numRuns: 40 },
    )
  })

  it('of many histories at once equal those of single histories', () => {
    fc.assert(
      fc.property(histories, histories, fc.nat(3), (first, then, which) => {
        const backward = backwards[which]!
        const transitions = new Transitions(backward)
        transitions.countAll(first.map((items) => Int32Array.from(items)))
        transitions.countAll(then.map((items) => Int32Array.from(items)))
        const expected = new Transitions(backward)
        for (const items of [...first, ...then]) {
          expected.count(Int32Array.from(items), 0, items.length, 1)
        }
        expect(sortedEntries(contentsOf(transitions))).toEqual(sortedEntries(contentsOf(expected)))
        for (let item = 0; item <= 40; item++) {
          expect(transitions.rowTotal(item)).toBe(expected.rowTotal(item))
          expect(transitions.columnTotal(item)).toBe(expected.columnTotal(item))
        }
        expect(transitions.pairs).toBe(expected.pairs)
      }),
      { numRuns: 40 },
    )
  })

  it('use more than one chunk of memory, and release it', () => {
    const transitions = new Transitions(0)
    const items = Int32Array.from({ length: 20_000 }, (_, i) => i)
    transitions.count(items, 0, items.length, 1)
    expect(transitions.bytes).toBeGreaterThan(2 ** 20)
    for (const item of [0, 5000, 19_000]) {
      const row: number[][] = []
      transitions.each(item, (neighbor, count) => row.push([neighbor - item, count]))
      expect(row.toSorted(([a], [b]) => a! - b!)).toEqual(
        weights.map((weight, i) => [i + 1, weight]),
      )
    }
    transitions.release()
    expect([transitions.size(0), transitions.pairs, transitions.items]).toEqual([0, 0, 0])
    transitions.each(0, () => expect.unreachable())
  })

  it('refuse to remove transitions that were never counted', () => {
    const transitions = new Transitions(0)
    expect(() => transitions.count(Int32Array.of(1, 2), 0, 2, -1)).toThrow(
      expect.objectContaining({ code: 'stale-state' }),
    )
  })
})
