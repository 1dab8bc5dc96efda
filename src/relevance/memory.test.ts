import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { Memory, type MemoryRule } from './memory.ts'
import { Transitions, unit } from './transition-counts.ts'

const rule: MemoryRule = { decay: 0.7, items: 3, neighbors: 4, rowPower: 0.7, columnPower: 0.3 }

function counted(histories: readonly (readonly number[])[]): Transitions {
  const transitions = new Transitions(0.25)
  for (const items of histories) transitions.count(Int32Array.from(items), 0, items.length, 1)
  return transitions
}

/** A plain computation of s_k. */
function plainScores(transitions: Transitions, history: readonly number[]): Map<number, number> {
  const sums = new Map<number, number>()
  for (const [age, item] of history.slice(-rule.items).toReversed().entries()) {
    const row: [number, number][] = []
    transitions.each(item, (neighbor, count) => row.push([neighbor, count]))
    const strongest = row.toSorted((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, rule.neighbors)
    for (const [neighbor, count] of strongest) {
      const rowPart = (transitions.rowTotal(item) + 5 * unit) ** rule.rowPower
      const columnPart = (transitions.columnTotal(neighbor) + 5 * unit) ** rule.columnPower
      const score = (rule.decay ** age * count) / (rowPart * columnPart)
      sums.set(neighbor, (sums.get(neighbor) ?? 0) + score)
    }
  }
  return sums
}

describe('the transition memory', () => {
  const lists = fc.array(fc.nat(15), { maxLength: 25 })

  it('scores by the plain formula with the strongest neighbors only', () => {
    fc.assert(
      fc.property(fc.array(lists, { maxLength: 8 }), lists, (histories, history) => {
        const transitions = counted(histories)
        const memory = new Memory(transitions, rule)
        const expected = plainScores(transitions, history)
        const scores = memory.score(Int32Array.from(history))
        expect([...scores.items].toSorted((a, b) => a - b)).toEqual(
          [...expected.keys()].toSorted((a, b) => a - b),
        )
        for (const [i, item] of scores.items.entries()) {
          expect(scores.values[i]).toBeCloseTo(expected.get(item)!, 5)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('includes every new transition, also in rows with cached neighbors', () => {
    const transitions = counted([
      [0, 1],
      [0, 2],
      [0, 3],
      [0, 4],
      [0, 5],
      [0, 6],
    ])
    const memory = new Memory(transitions, rule)
    expect(memory.score(Int32Array.of(0)).items.slice().toSorted()).toEqual(
      Int32Array.of(1, 2, 3, 4),
    )
    transitions.count(Int32Array.of(0, 6), 0, 2, 1)
    const { items: now } = memory.score(Int32Array.of(0))
    expect(now.includes(6)).toBe(true)
    expect(now.includes(4)).toBe(false)
  })

  it('names the items of the history that contribute to a score', () => {
    const memory = new Memory(
      counted([
        [1, 2],
        [1, 2],
        [3, 2],
      ]),
      rule,
    )
    const history = Int32Array.of(3, 1)
    const reasons = memory.explain(history, 2)
    expect(reasons.map(({ item }) => item)).toEqual([1, 3])
    const { items, values } = memory.score(history)
    const sum = reasons.reduce((total, { score }) => total + score, 0)
    expect(sum).toBeCloseTo(values[items.indexOf(2)]!, 6)
  })
})
