import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { anyLog, firstItems } from '../../test/random-events.ts'
import { seen, slate, chosen, chosenFrom } from '../../test/state-events.ts'
import { Transitions } from '../relevance/index.ts'
import { Evidence } from './evidence.ts'
import { emptyState, type State } from './state.ts'

/** All counts of evidence, as plain values. */
function contentsOf(evidence: Evidence, transitions: Transitions) {
  const items = Array.from({ length: 64 }, (_, item) => {
    const neighbors: [number, number][] = []
    transitions.each(item, (neighbor, count) => neighbors.push([neighbor, count]))
    return {
      exposures: evidence.exposures[item] ?? 0,
      clicks: evidence.clicks[item] ?? 0,
      interactions: evidence.interactions[item] ?? 0,
      organic: evidence.organic[item] ?? 0,
      neighbors: neighbors.toSorted(([a], [b]) => a - b),
    }
  })
  return {
    items,
    itemCount: evidence.itemCount,
    typicalRate: evidence.typicalRate,
    totals: evidence.totals,
    byState: evidence.byState,
  }
}

function watched(state: State) {
  const evidence = new Evidence()
  const transitions = new Transitions(0.25)
  state.watch(evidence)
  evidence.transitions.count(transitions, state.users.values())
  return { evidence, transitions, contents: () => contentsOf(evidence, transitions) }
}

/** Small limits, so that users are trimmed often. */
const maxPerUser = { history: 4, impressions: 6 }

describe('evidence', () => {
  it('equals a recount of the users after any slates, feedback, merges, erasures and trims', () => {
    fc.assert(
      fc.property(anyLog, fc.boolean(), (events, isTrimmed) => {
        const state = emptyState(firstItems, isTrimmed ? maxPerUser : {})
        const followed = watched(state)
        for (const event of events) state.apply(event)
        const live = structuredClone(followed.contents())
        expect(watched(state).contents()).toEqual(live)
      }),
      { numRuns: 100 },
    )
  })

  it('counts an impression when it is confirmed, and a click at once', () => {
    const state = emptyState(firstItems)
    const { evidence } = watched(state)
    state.apply(slate('first', ['a', 'b'], false))
    expect(Array.from(evidence.exposures.subarray(0, 2))).toEqual([0, 0])
    state.apply(seen('first', ['a']))
    state.apply(chosenFrom('first', 'b'))
    expect(Array.from(evidence.exposures.subarray(0, 2))).toEqual([1, 1])
    expect(Array.from(evidence.clicks.subarray(0, 2))).toEqual([0, 1])
  })

  it('separates interactions with slates from organic ones, also after trimming', () => {
    const state = emptyState(firstItems, { history: 20, impressions: 4 })
    const { evidence } = watched(state)
    for (let i = 0; i < 5; i++) state.apply(chosen('bob', 'a'))
    for (let i = 0; i < 12; i++) {
      state.apply(slate(`slate ${i}`, ['a', 'b']))
      state.apply(chosenFrom(`slate ${i}`, 'a'))
    }
    expect(evidence.interactions[0]).toBe(17)
    expect(evidence.organic[0]).toBe(5)
  })

  it('counts every interaction with a named slate as one with a slate', () => {
    const state = emptyState(firstItems)
    const { evidence } = watched(state)
    state.apply(slate('first', ['a', 'b']))
    for (let i = 0; i < 2; i++) state.apply(chosenFrom('first', 'a'))
    expect([evidence.interactions[0], evidence.organic[0]]).toEqual([2, 0])
  })

  it('contains nothing of an erased user', () => {
    const state = emptyState(firstItems)
    const { contents, transitions } = watched(state)
    const before = structuredClone(contents())
    state.apply(slate('first', ['a', 'b']))
    for (const item of ['a', 'b', 'c']) state.apply(chosen('ann', item))
    expect(transitions.pairs).toBeGreaterThan(0)
    state.apply({ kind: 'user-erased', user: 'ann' })
    expect(contents()).toEqual(before)
  })
})
