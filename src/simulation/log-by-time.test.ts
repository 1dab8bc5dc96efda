import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sortLog } from '../core/log.ts'
import type { InteractionLog } from '../core/log.ts'
import type { RenEvent } from '../recommender/index.ts'
import type { Contestant } from './environment.ts'
import { createLogByTime } from './log-by-time.ts'
import type { LogByTimeOptions } from './log-by-time.ts'
import { withOracle } from './environment.ts'
import { run } from './run.ts'

type Take = readonly [user: string, item: string, time: number, reward?: number]

const itemNames = ['a', 'b', 'c', 'd', 'e']

function logOf(takes: readonly Take[]): InteractionLog {
  const userNames = [...new Set(takes.map(([user]) => user))]
  return sortLog({
    userNames,
    itemNames,
    users: Int32Array.from(takes, ([user]) => userNames.indexOf(user)),
    items: Int32Array.from(takes, ([, item]) => itemNames.indexOf(item)),
    times: Float64Array.from(takes, ([, , time]) => time),
    rewards: Float32Array.from(takes, ([, , , reward = 1]) => reward),
  })
}

const takes: readonly Take[] = [
  ['ann', 'a', 0],
  ['bob', 'b', 1],
  ['ann', 'c', 2],
  ['bob', 'a', 3],
  ['ann', 'e', 4, 0],
  ['ann', 'a', 5],
  ['ann', 'd', 6],
  ['bob', 'e', 12],
  ['ann', 'b', 15],
]

const plain = { seed: 1, interval: 10, warmUpShare: 0, slateSize: 2, negatives: 0 }

/** Shows the first allowed items, and records the events it receives. */
function play(log: InteractionLog, options: Partial<LogByTimeOptions>) {
  const received: string[] = []
  const world = createLogByTime(log, { ...plain, ...options })
  const contestant: Contestant = {
    recommend: ({ count, exclude = [] }) => ({
      items: itemNames
        .filter((item) => !exclude.includes(item))
        .slice(0, count)
        .map((item) => ({ item })),
    }),
    observe: (event) => void received.push(brief(event)),
    fineTune: () => void received.push('learn'),
  }
  return { rows: [...run(world, contestant)], received, world }
}

function brief(event: RenEvent): string {
  if (event.kind === 'recommendation') {
    return `${event.user} saw ${event.items.map(({ item }) => item).join('')}`
  }
  if (event.kind !== 'interaction') return event.kind
  return `${event.user} ${event.teaches === false ? 'had' : 'took'} ${event.item}`
}

describe('a log by time', () => {
  it('requests one slate per active user and interval, and learns at its end', () => {
    const { rows, received } = play(logOf(takes), {})
    expect(received).toEqual([
      'ann saw ab',
      'ann took a',
      'bob saw ab',
      'bob took a',
      'bob took b',
      'learn',
      'bob saw ab',
      'ann had c',
      'ann had d',
      'ann saw ab',
      'ann took b',
      'learn',
    ])
    expect(rows.map(({ reward, bestReward }) => [reward, bestReward])).toEqual([
      [0.5, 1],
      [1, 1],
      [0, 0.5],
      [0.5, 0.5],
    ])
    expect(rows.map(({ relevantCount }) => relevantCount)).toEqual([3, 2, 1, 1])
  })

  it('reports only feedback on slates if histories are not organic', () => {
    expect(play(logOf(takes), { organic: false }).received).not.toContain('ann had c')
  })

  it('excludes the chosen items if repeats are not allowed', () => {
    const { rows } = play(logOf(takes), { repeats: false })
    expect(rows.map(({ slate }) => slate.join(''))).toEqual(['ab', 'ab', 'cd', 'be'])
  })

  it('starts with its first share, each item among negatives', () => {
    const { received, rows } = play(logOf(takes), { warmUpShare: 0.5, warmUpFineTunes: 2 })
    expect(received.slice(0, 10)).toEqual([
      'ann saw a',
      'ann took a',
      'bob saw b',
      'bob took b',
      'ann saw c',
      'ann took c',
      'bob saw a',
      'bob took a',
      'learn',
      'learn',
    ])
    expect(rows.map(({ user }) => user)).toEqual(['ann', 'bob', 'ann'])
    const { events } = createLogByTime(logOf(takes), {
      ...plain,
      warmUpShare: 0.5,
      negatives: 3,
    }).warmUp!
    for (const event of events) {
      if (event.kind !== 'recommendation') continue
      expect(event.items.reduce((sum, { reward }) => sum + reward!, 0)).toBe(1)
      expect(event.items.length).toBeGreaterThanOrEqual(3)
      expect(event.items.length).toBeLessThanOrEqual(4)
    }
  })

  const logs = fc
    .array(
      fc.tuple(fc.constantFrom('ann', 'bob', 'eve'), fc.constantFrom(...itemNames), fc.nat(60)),
      { minLength: 1, maxLength: 20 },
    )
    .map(logOf)

  it('has an oracle with the highest reward', () => {
    fc.assert(
      fc.property(logs, fc.boolean(), fc.boolean(), (log, organic, repeats) => {
        const world = createLogByTime(log, { ...plain, slateSize: 1, organic, repeats })
        const { environment, oracle } = withOracle(world)
        for (const { reward, bestReward } of run(environment, oracle)) {
          expect(reward).toBe(bestReward)
        }
      }),
    )
  })

  it('reports no item more often than it was chosen', () => {
    fc.assert(
      fc.property(logs, (log) => {
        const { received, rows } = play(log, {})
        const known = received.filter((text) => /took|had/.test(text))
        const found = rows.reduce((sum, { relevantCount }) => sum + relevantCount, 0)
        expect(known.length).toBeLessThanOrEqual(found)
        for (const { reward } of rows) expect(reward).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('depends only on the seed', () => {
    const options = { warmUpShare: 0.5, negatives: 3 }
    expect(play(logOf(takes), options).received).toEqual(play(logOf(takes), options).received)
  })

  it.each([
    ['interval', { interval: -1 }],
    ['warmUpShare', { warmUpShare: 1 }],
    ['slateSize', { slateSize: 6 }],
    ['negatives', { negatives: 0.5 }],
    ['steps', { steps: 0 }],
  ])('refuses a wrong %s', (what, options) => {
    expect(() => play(logOf(takes), options)).toThrow(what)
  })

  it('refuses a log without interactions', () => {
    expect(() => play(logOf([['ann', 'a', 1, 0]]), {})).toThrow(
      'log: no interactions are after the warm-up',
    )
  })
})
