import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../src/core/random.ts'
import type { RenEvent } from '../../src/recommender/index.ts'
import { run, withOracle, type Contestant } from '../../src/simulation/index.ts'
import { createImpressions, type ImpressionsOptions } from './environment.ts'
import type { ImpressionLog } from './impression-log.ts'

interface Shown {
  readonly user: string
  readonly time: number
  /** Items, those that were clicked in capitals. */
  readonly list: string
  readonly history?: string
}

const letters = Array.from('abcdefghij')

/** A log of items with one letter. */
function logOf(rows: readonly Shown[]): ImpressionLog {
  const userNames = [...new Set(rows.map(({ user }) => user))]
  const lists = (texts: readonly string[]) => ({
    offsets: Int32Array.from([0, ...texts], (_, end) => texts.slice(0, end).join('').length),
    values: Int32Array.from(texts.join(''), (letter) => letters.indexOf(letter.toLowerCase())),
  })
  const shown = rows.map(({ list }) => list)
  return {
    userNames,
    itemNames: letters,
    users: Int32Array.from(rows, ({ user }) => userNames.indexOf(user)),
    times: Float64Array.from(rows, ({ time }) => time),
    shown: lists(shown),
    clicked: Uint8Array.from(shown.join(''), (letter) => Number(letter !== letter.toLowerCase())),
    histories: lists(rows.map(({ history = '' }) => history)),
  }
}

/** Shows the first candidates, and records the events it receives. */
function listener(pick = (candidates: readonly string[]) => candidates) {
  const received: (RenEvent | 'learn')[] = []
  const contestant: Contestant = {
    recommend: ({ count, candidates }) => ({
      items: pick(candidates!)
        .slice(0, count)
        .map((item) => ({ item })),
    }),
    observe: (event) => void received.push(event),
    fineTune: () => void received.push('learn'),
  }
  return { contestant, received }
}

const brief = (event: RenEvent | 'learn'): string => {
  if (event === 'learn') return event
  if (event.kind === 'recommendation') {
    const reported = event.items.map(({ item, reward }) => (reward ? item.toUpperCase() : item))
    return `${event.user} saw ${reported.join('')}`
  }
  if (event.kind !== 'interaction') return event.kind
  return `${event.user} ${event.teaches === false ? 'had' : 'took'} ${event.item}`
}

function receive(rows: readonly Shown[], options: ImpressionsOptions): string[] {
  const { contestant, received } = listener()
  const world = createImpressions(logOf(rows), { interval: 10, warmUpIntervals: 0, ...options })
  expect([...run(world, contestant)]).toHaveLength(world.steps)
  return received.map(brief)
}

const rows: readonly Shown[] = [
  { user: 'ann', time: 21, list: 'abC', history: 'de' },
  { user: 'bob', time: 29, list: 'bA' },
  { user: 'ann', time: 30, list: 'fGh', history: 'dec' },
  { user: 'bob', time: 55, list: 'cdE', history: 'ai' },
]

describe('the world of impressions', () => {
  it('reports new history items, clicks on recommended items, and the ends of intervals', () => {
    expect(receive(rows, { slateSize: 2 })).toEqual([
      'ann had d',
      'ann had e',
      'ann saw ab',
      'bob saw bA',
      'bob took a',
      'learn',
      'ann had c',
      'ann saw fG',
      'ann took g',
      'learn',
      'bob had i',
      'bob saw cd',
      'learn',
    ])
  })

  it('also reports the rest of each list with full feedback', () => {
    expect(receive(rows, { slateSize: 2, feedback: 'full' })).toEqual([
      'ann had d',
      'ann had e',
      'ann saw ab',
      'ann saw C',
      'ann took c',
      'bob saw bA',
      'bob took a',
      'learn',
      'ann saw fG',
      'ann took g',
      'learn',
      'ann saw h',
      'bob had i',
      'bob saw cd',
      'learn',
    ])
  })

  it('starts with full lists, and fine-tunes on them as configured', () => {
    expect(receive(rows, { slateSize: 1, warmUpIntervals: 1, warmUpFineTunes: 2 })).toEqual([
      'ann had d',
      'ann had e',
      'ann saw abC',
      'ann took c',
      'bob saw bA',
      'bob took a',
      'learn',
      'learn',
      'ann saw f',
      'learn',
      'bob had i',
      'bob saw c',
      'learn',
    ])
  })

  it('reports at most the last items of a history', () => {
    expect(receive(rows, { lastHistory: 1 }).filter((text) => text.includes('had'))).toEqual([
      'ann had e',
      'bob had i',
    ])
  })

  it('reports the new items of sliding histories', () => {
    const windows = ['abc', 'abc', 'bcd', 'def', 'a'].map((history, time) => ({
      user: 'ann',
      time,
      list: 'j',
      history,
    }))
    expect(receive(windows, {}).filter((text) => text.includes('had'))).toEqual(
      ['a', 'b', 'c', 'd', 'e', 'f', 'a'].map((item) => `ann had ${item}`),
    )
  })

  it('rewards 1 over the slot of the first click, at best 1 if there was a click', () => {
    const lists = ['abC', 'aBC', 'Abc', 'abc', 'abcD']
    const world = createImpressions(logOf(lists.map((list, time) => ({ user: 'u', time, list }))), {
      warmUpIntervals: 0,
      slateSize: 3,
    })
    const played = [...run(world, listener().contestant)]
    expect(played.map(({ reward }) => reward)).toEqual([1 / 3, 1 / 2, 1, 0, 0])
    expect(played.map(({ bestReward }) => bestReward)).toEqual([1, 1, 1, 0, 1])
    expect(played.map(({ relevantCount }) => relevantCount)).toEqual([1, 2, 1, 0, 1])
  })

  it('counts a repeated item of a list once', () => {
    const world = createImpressions(logOf([{ user: 'u', time: 0, list: 'abAc' }]), {
      warmUpIntervals: 0,
    })
    expect(world.nextRound()).toMatchObject({ candidates: ['a', 'b', 'c'], count: 3 })
  })

  it('runs at most the requested rounds', () => {
    expect(receive(rows, { steps: 1 }).filter((text) => text.includes('saw'))).toEqual([
      'ann saw abC',
    ])
  })

  const list = fc
    .uniqueArray(fc.constantFrom(...letters), { minLength: 1 })
    .chain((items) => fc.tuple(...items.map((item) => fc.constantFrom(item, item.toUpperCase()))))
    .map((items) => items.join(''))
  const logs = fc
    .array(
      fc.record({
        user: fc.constantFrom('ann', 'bob', 'eve'),
        time: fc.nat(200),
        list,
        history: fc.string({ unit: fc.constantFrom(...letters), maxLength: 5 }),
      }),
      { minLength: 1, maxLength: 12 },
    )
    .map((some) => some.toSorted((a, b) => a.time - b.time))
  const feedback = fc.constantFrom('chosen', 'full')

  it('offers the shown items, and reports only the recommended ones', () => {
    fc.assert(
      fc.property(logs, fc.integer({ min: 1, max: 4 }), fc.nat(), (log, slateSize, seed) => {
        const random = createRandom(seed)
        const { contestant, received } = listener((candidates) => {
          const order = [...candidates]
          random.shuffle(order)
          return order
        })
        const options = { interval: 50, warmUpIntervals: 0, slateSize }
        const played = [...run(createImpressions(logOf(log), options), contestant)]
        const reported = received.filter(
          (event) => event !== 'learn' && event.kind === 'recommendation',
        )
        expect(reported.map(brief).map((text) => text.toLowerCase())).toEqual(
          played.map(({ user, slate }) => `${user} saw ${slate.join('')}`),
        )
        for (const [at, { slate }] of played.entries()) {
          const shown = log[at]!.list.toLowerCase()
          expect(slate).toHaveLength(Math.min(slateSize, shown.length))
          expect(Array.from(shown)).toEqual(expect.arrayContaining([...slate]))
        }
      }),
    )
  })

  it('has an oracle with a reward of 1 in every round with a click', () => {
    fc.assert(
      fc.property(logs, feedback, (log, kind) => {
        const world = createImpressions(logOf(log), { warmUpIntervals: 0, feedback: kind })
        const { environment, oracle } = withOracle(world)
        for (const { reward, bestReward } of run(environment, oracle)) {
          expect(reward).toBe(bestReward)
        }
      }),
    )
  })

  it('is deterministic', () => {
    fc.assert(
      fc.property(logs, feedback, (log, kind) => {
        const options = { interval: 40, slateSize: 2, feedback: kind }
        expect(receive(log, options)).toEqual(receive(log, options))
      }),
    )
  })

  it.each([
    ['slateSize', { slateSize: 0 }],
    ['interval', { interval: 0 }],
    ['warmUpIntervals', { warmUpIntervals: -1 }],
    ['warmUpFineTunes', { warmUpFineTunes: 0.5 }],
    ['lastHistory', { lastHistory: 0 }],
    ['steps', { steps: Number.NaN }],
    ['feedback', { feedback: 'some' as 'full' }],
    ['must be longer', { warmUpIntervals: 9 }],
  ])('refuses a wrong %s', (what, options) => {
    const create = () => createImpressions(logOf(rows), { interval: 10, ...options })
    expect(create).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    expect(create).toThrow(what)
  })

  it('refuses an item that was not in the list', () => {
    const world = createImpressions(logOf(rows), { warmUpIntervals: 0 })
    expect(() => world.respond(world.nextRound()!, ['j'])).toThrow('of the shown list')
  })
})
