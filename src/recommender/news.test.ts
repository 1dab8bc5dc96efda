import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RenEvent } from './events.ts'
import { createNews } from './news.ts'
import { emptyState } from './state.ts'

const users = ['ann', 'bob', 'cem', 'dan', 'eve', 'fay'] as const
const start = { events: 0, time: -Infinity }

function open(from = start) {
  const state = emptyState(['a', 'b'])
  const news = createNews(state, from)
  const tell = (event: RenEvent) => {
    state.apply(event)
    news.observed(event)
  }
  const take = (user: string, time = 0) => tell({ kind: 'taken', user, item: 'a', reward: 1, time })
  const show = (
    user: string,
    time: number,
    more: { counted?: boolean; recommendationId?: string } = {},
  ) => tell({ kind: 'shown', user, items: ['a', 'b'], time, ...more })
  /** One update: who was taken in. */
  const learn = (settledBy = -Infinity, most = Infinity) => {
    const chosen = news.choose(settledBy, most, () => true)
    news.spend(chosen)
    return [...chosen.fresh]
  }
  return { state, news, tell, take, show, learn }
}

describe('news', () => {
  it('is of whom something was told since', () => {
    const { news, take, learn } = open()
    expect(news.any(-Infinity)).toBe(false)
    take('ann')
    take('bob')
    expect(news.any(-Infinity)).toBe(true)
    expect(learn()).toEqual(['ann', 'bob'])
    expect([news.any(-Infinity), learn()]).toEqual([false, []])
    take('bob')
    expect(learn()).toEqual(['bob'])
  })

  it('stays until it is spent', () => {
    const { news, take, learn } = open()
    take('ann')
    news.choose(-Infinity, Infinity, () => true)
    expect(news.any(-Infinity)).toBe(true)
    expect(news.mark).toEqual(start)
    expect(learn()).toEqual(['ann'])
    expect(news.mark.events).toBe(1)
  })

  it('is not of who teaches nothing, or is gone', () => {
    const { news, tell, take, learn } = open()
    take('ann')
    take('bob')
    tell({ kind: 'user-forgotten', user: 'ann' })
    const chosen = news.choose(-Infinity, Infinity, () => false)
    expect(chosen.fresh.size).toBe(0)
    expect(chosen.waits('bob')).toBe(false)
    news.spend(chosen)
    expect([news.any(-Infinity), learn()]).toEqual([false, []])
  })

  it('is of whose slates have just been settled, once', () => {
    const { news, show, learn } = open()
    show('ann', 100)
    show('bob', 200)
    expect(news.any(99)).toBe(false)
    expect(news.any(100)).toBe(true)
    expect(learn(150)).toEqual(['ann'])
    expect([news.any(199), learn(199)]).toEqual([false, []])
    expect([news.any(200), learn(200), learn(300)]).toEqual([true, ['bob'], []])
  })

  it('is not of a slate of which all was told, or that nobody saw', () => {
    const { news, tell, show, learn } = open()
    tell({ kind: 'shown', user: 'ann', items: ['a'], rewards: [0], time: 100 })
    show('bob', 100, { counted: false, recommendationId: 'r' })
    expect(learn(50)).toEqual(['ann'])
    expect([news.any(150), learn(150)]).toEqual([false, []])
    tell({ kind: 'seen', user: 'bob', recommendationId: 'r', items: ['a'] })
    expect([news.any(150), learn(150)]).toEqual([true, ['bob']])
  })

  it('is of a slate that came after its time was settled', () => {
    const { news, show, learn } = open()
    learn(500)
    show('ann', 100)
    expect([news.any(500), learn(500), learn(501)]).toEqual([true, ['ann'], []])
  })

  it('is not of what was learnt before a restart and is heard again', () => {
    const { news, take, show, learn } = open({ events: 2, time: 500 })
    show('ann', 100)
    take('bob')
    expect([news.any(500), learn(500)]).toEqual([false, []])
    take('ann')
    expect(learn(500)).toEqual(['ann'])
  })

  it('comes in time again after a clock that was ahead is set right', () => {
    const { news, show, learn } = open()
    show('ann', 100)
    expect([news.any(1e12), learn(1e12)]).toEqual([true, ['ann']])
    show('bob', 200)
    const early = news.choose(195, Infinity, () => false)
    expect(early.fresh.size).toBe(0)
    news.spend(early)
    expect(news.mark.time).toBe(195)
    expect([news.any(199), news.any(200), learn(200)]).toEqual([false, true, ['bob']])
    const restarted = open({ events: 1, time: 1e12 })
    restarted.show('ann', 400)
    expect([restarted.news.any(300), restarted.news.any(400)]).toEqual([false, true])
  })

  it('does not hold the name of a user who was forgotten', () => {
    const { news, tell, take, learn } = open()
    take('ann')
    take('bob')
    expect([learn(-Infinity, 1), news.waiting]).toEqual([['ann'], 1])
    tell({ kind: 'user-forgotten', user: 'bob' })
    expect([news.waiting, news.any(-Infinity)]).toEqual([0, false])
  })

  it('goes on from what somebody else has taken in', () => {
    const { news, take, show, learn } = open()
    take('ann')
    show('bob', 100)
    news.moveTo({ events: 1, time: 100 })
    expect([news.any(100), learn(100)]).toEqual([false, []])
  })

  it('is never of somebody again before all who waited longer, and in the end of nobody', () => {
    const told = fc.array(fc.constantFrom(...users), { maxLength: 8 })
    fc.assert(
      fc.property(
        fc.array(told, { maxLength: 12 }),
        fc.integer({ min: 1, max: 3 }),
        (rounds, most) => {
          const { news, take, learn } = open()
          /** The round since which each waits. */
          const since = new Map<string, number>()
          const update = () => {
            const { size } = since
            const taken = learn(-Infinity, most)
            expect(taken).toHaveLength(Math.min(most, size))
            const longest = Math.max(-1, ...taken.map((user) => since.get(user)!))
            for (const user of taken) since.delete(user)
            for (const round of since.values()) expect(round).toBeGreaterThanOrEqual(longest)
            expect(news.waiting).toBe(since.size)
          }
          for (const [round, heard] of rounds.entries()) {
            for (const user of heard) {
              take(user)
              if (!since.has(user)) since.set(user, round)
            }
            update()
          }
          for (let i = 0; i < users.length; i++) update()
          expect([since.size, news.any(-Infinity)]).toEqual([0, false])
        },
      ),
    )
  })

  it('has a mark from which a restart hears of all who wait', () => {
    const step = fc.record({ user: fc.constantFrom(...users), isTake: fc.boolean() })
    fc.assert(
      fc.property(fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 8 }), (rounds) => {
        const { state, news, take, show, learn } = open()
        let time = 0
        for (const heard of rounds) {
          for (const { user, isTake } of heard) {
            time += 10
            if (isTake) take(user, time)
            else show(user, time)
          }
          learn(time - 25, 2)
        }
        const restarted = createNews(state, news.mark)
        const all = (from: typeof news) => from.choose(time, Infinity, () => true).fresh
        const found = all(restarted)
        for (const user of all(news)) expect(found).toContain(user)
      }),
    )
  })
})
