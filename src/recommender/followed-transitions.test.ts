import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { anyLog, firstItems } from '../../test/random-events.ts'
import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import { createSequenceModel, gru4rec } from '../models/index.ts'
import { Transitions, defaultBlend, type Blend } from '../relevance/index.ts'
import { Evidence } from './evidence.ts'
import { recommenderSettings } from './methods.ts'
import { createRecommender, type Recommender } from './recommender.ts'
import { emptyState, type State } from './state.ts'

function countsOf(transitions: Transitions): unknown {
  return Array.from({ length: 64 }, (_, item) => {
    const neighbors: [number, number][] = []
    transitions.each(item, (neighbor, count) => neighbors.push([neighbor, count]))
    return neighbors.toSorted(([a], [b]) => a - b)
  })
}

function countedAtOnce({ users }: State, { backward }: Transitions): Transitions {
  const transitions = new Transitions(backward)
  for (const { history } of users.values()) {
    transitions.count(history.column('items'), 0, history.length, 1)
  }
  return transitions
}

/** Small limits, so that users are trimmed often. */
const maxPerUser = { history: 4, impressions: 6 }

describe('a recount of transitions in steps', () => {
  it('equals a recount at once, with any slates, feedback, merges, erasures and trims in between', () => {
    fc.assert(
      fc.property(
        anyLog,
        fc.boolean(),
        fc.array(fc.constantFrom('wait', 'wait', 'step', 'begin'), { minLength: 60 }),
        (events, isTrimmed, actions) => {
          const state = emptyState(firstItems, isTrimmed ? maxPerUser : {})
          const evidence = new Evidence()
          state.watch(evidence)
          let followed = new Transitions(0)
          evidence.transitions.count(followed, state.users.values())
          let next = followed
          let steps: Generator<undefined, boolean> | null = null
          for (const [at, event] of events.entries()) {
            state.apply(event)
            if (actions[at] === 'begin') {
              next = new Transitions(next.backward === 0 ? 1 : 0)
              steps = evidence.transitions.recount(next, state.users.values(), 1)
            }
            if (actions[at] !== 'wait' && steps?.next().value === true) followed = next
            expect(countsOf(followed)).toEqual(countsOf(countedAtOnce(state, followed)))
          }
          for (let isDone = steps === null; !isDone;) isDone = steps!.next().done === true
          expect(countsOf(next)).toEqual(countsOf(countedAtOnce(state, next)))
        },
      ),
      { numRuns: 300 },
    )
  })

  it('serves new weights at once, and ends like a recommender that started with them', async () => {
    const engine = await createEngine()
    const itemNames = Array.from({ length: 12 }, (_, item) => `item ${item}`)
    const weights = { ...defaultBlend.weights, memory: 3 }
    const normalization = { rowPower: 0.5, columnPower: 0.5 }
    const other: Blend = { weights, backward: 1, normalization }
    const open = (blend: Blend): Recommender => {
      const model = createSequenceModel(engine, gru4rec({ dimension: 4 }), 12, createRandom(1))
      const settings = recommenderSettings(engine, 'ren-g', { dimension: 4 })
      return createRecommender({ ...settings, blend, model, itemNames, seed: 1 })
    }
    const [changed, begun] = [open(defaultBlend), open(other)]
    const observe = (user: number, item: number): void => {
      for (const one of [changed, begun]) {
        const name = itemNames[item % 12]!
        one.observe({ kind: 'interaction', user: `user ${user}`, item: name, reward: 1, time: 1 })
      }
    }
    for (let user = 0; user < 200; user++) {
      for (let step = 0; step < 10; step++) observe(user, user * user + 5 * step)
    }
    const partsOf = ({ blend }: Recommender) =>
      itemNames.map((item) => blend!.explain('user 7', item).parts)
    const steps = changed.blend!.change(other)
    expect(changed.blend!.current).toBe(other)
    expect(steps.next().done).toBe(false)
    expect(partsOf(changed)).not.toEqual(partsOf(begun))
    for (const user of [0, 7, 199, 300]) observe(user, user + 3)
    while (steps.next().done !== true);
    expect(partsOf(changed)).toEqual(partsOf(begun))
    engine.close()
  })
})
