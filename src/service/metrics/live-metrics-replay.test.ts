import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { HeldMetrics, LiveMetrics } from './live-metrics.ts'

const open = (window = 3) => new LiveMetrics({ variants: ['ren'], clock: () => 0, window })

type Received = Pick<LiveMetrics, 'served' | 'feedback' | 'eraseUser'>
type Step = readonly [kind: 'served' | 'feedback' | 'erase', user: string]

function receive(metrics: Received, [kind, user]: Step, place: number): void {
  const item = { item: 'a', score: 1, relevance: 1, diversity: 0, uncertainty: 0 }
  if (kind === 'feedback') metrics.feedback({ user, item: 'a', reward: place, time: 0 })
  if (kind === 'erase') metrics.eraseUser(user)
  if (kind !== 'served') return
  const slate = { recommendationId: `${place}`, user, variant: 'ren', policy: 'ren', items: [item] }
  metrics.served({ ...slate, version: user, itemCount: 10, time: 0 })
}

const step = fc.tuple(
  fc.constantFrom('served' as const, 'feedback' as const),
  fc.constantFrom('ann', 'bob'),
)

describe('metrics that are held back', () => {
  it('are counted after earlier events', () => {
    fc.assert(
      fc.property(fc.array(step), fc.array(step), fc.nat(), (past, live, cut) => {
        const inOrder = open()
        for (const [place, one] of [...past, ...live].entries()) receive(inOrder, one, place)
        const held = new HeldMetrics(open())
        const before = live.slice(0, cut % (live.length + 1))
        for (const [i, one] of before.entries()) receive(held, one, past.length + i)
        for (const [place, one] of past.entries()) receive(held.past, one, place)
        held.release()
        for (const [i, one] of live.slice(before.length).entries()) {
          receive(held, one, past.length + before.length + i)
        }
        expect(held.past.figures()).toEqual(inOrder.figures())
        for (const name of ['ann', 'bob']) {
          expect(held.past.rewardOf(name)).toEqual(inOrder.rewardOf(name))
        }
      }),
    )
  })

  it('are released if there are too many', () => {
    const held = new HeldMetrics(open(), 2)
    for (const place of [0, 1]) receive(held, ['served', 'ann'], place)
    expect([held.isHeld, held.past.figures().variants[0]!.slates]).toEqual([true, 0])
    receive(held, ['served', 'ann'], 2)
    expect([held.isHeld, held.past.figures().variants[0]!.slates]).toEqual([false, 3])
  })

  it('contain nothing of a user who was erased meanwhile', () => {
    const held = new HeldMetrics(open())
    receive(held, ['served', 'ann'], 1)
    receive(held, ['erase', 'ann'], 2)
    held.release()
    receive(held, ['feedback', 'ann'], 5)
    expect(held.past.figures().variants).toMatchObject([{ slates: 1, reward: 0 }])
  })
})
