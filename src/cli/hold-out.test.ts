import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { byUser, sortLog, type InteractionLog } from '../core/log.ts'
import { leaveOneOut } from '../datasets/index.ts'
import { chooseSplit, parseHoldOut } from './hold-out.ts'

const trainedBy = (split: string) => ({
  training: { events: 'log.csv', digest: 'same', split, validation: 'none', seed: '1' },
})

describe('the split for testing a model', () => {
  it('is the split of its training', () => {
    const { split, caution } = chooseSplit(trainedBy('time=0.2'), 'same', undefined)
    expect([split.text, caution]).toEqual(['time=0.2', null])
    const requested = chooseSplit(trainedBy('time=0.2'), 'same', parseHoldOut('time=0.20'))
    expect(requested.split.text).toBe('time=0.2')
  })

  it('cannot differ from the split of its training on the same log', () => {
    expect(() => chooseSplit(trainedBy('last'), 'same', parseHoldOut('time=0.2'))).toThrow(/last/)
    expect(() => chooseSplit(trainedBy('none'), 'same', undefined)).toThrow(/all rows/)
  })

  it('can be chosen on another log, for an unknown model and for baselines, with a caution for models', () => {
    const wanted = parseHoldOut('time=0.2')
    const other = chooseSplit(trainedBy('none'), 'other', wanted)
    expect(other.split.text).toBe('time=0.2')
    expect(other.caution).toMatch(/another log/)
    expect(chooseSplit({ training: null }, 'same', wanted).caution).toMatch(/does not say/)
    expect(chooseSplit(null, 'same', undefined)).toMatchObject({
      split: { text: 'last' },
      caution: null,
    })
  })
})

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `name ${i}`)

const arbitraryLog = fc
  .array(fc.record({ user: fc.nat(5), item: fc.nat(8), time: fc.nat(50) }), { maxLength: 60 })
  .map((rows): InteractionLog =>
    sortLog({
      users: Int32Array.from(rows, ({ user }) => user),
      items: Int32Array.from(rows, ({ item }) => item),
      rewards: new Float32Array(rows.length).fill(1),
      times: Float64Array.from(rows, ({ time }) => time),
      userNames: names(6),
      itemNames: names(9),
    }),
  )

describe('a rule of --split', () => {
  it.each(['none', 'last', 'period=16', 'time=0.25'])('round-trips as text: %s', (text) => {
    expect(parseHoldOut(text).text).toBe(text)
  })

  it.each(['', 'first', 'last=1', 'none=', 'period', 'period=', 'period=1.5', 'time=0', 'time=1'])(
    'is refused if unknown: "%s"',
    (text) => {
      expect(() => parseHoldOut(text)).toThrow(/Expected one of/)
    },
  )

  it('last holds out the last item of every user with three or more rows', () => {
    fc.assert(
      fc.property(arbitraryLog, (log) => {
        const { train, test } = parseHoldOut('last').cut(log)
        const whole = new Map(byUser(log).map((sequence) => [sequence.user, sequence.items]))
        for (const { user, items } of byUser(train)) {
          const all = [...whole.get(user)!]
          expect([...items]).toEqual(all.length < 3 ? all : all.slice(0, -1))
        }
        for (const { user, items, firstTarget } of test.sequences) {
          expect(firstTarget).toBe(items.length - 1)
          expect(items.at(-1)).toBe(whole.get(user)!.at(-1))
        }
      }),
    )
  })

  it('last, applied twice, equals leaveOneOut for users with four or more rows', () => {
    fc.assert(
      fc.property(arbitraryLog, (log) => {
        const last = parseHoldOut('last')
        const expected = leaveOneOut(log)
        const twice = last.cut(last.cut(log).train)
        const longUsers = new Set(
          byUser(log)
            .filter(({ items }) => items.length > 3)
            .map(({ user }) => user),
        )
        const ofLong = (part: InteractionLog) =>
          byUser(part)
            .filter(({ user }) => longUsers.has(user))
            .map(({ user, items }) => [user, ...items])
        expect(ofLong(twice.train)).toEqual(ofLong(expected.train))
      }),
    )
  })

  it('time holds every target out of the training data', () => {
    fc.assert(
      fc.property(arbitraryLog, fc.double({ min: 0.01, max: 0.99, noNaN: true }), (log, share) => {
        const { train, test } = parseHoldOut(`time=${share}`).cut(log)
        const latest = train.times.reduce((a, b) => Math.max(a, b), -Infinity)
        for (const { times, firstTarget } of test.sequences) {
          for (const time of times.subarray(firstTarget)) expect(time).toBeGreaterThan(latest)
        }
      }),
    )
  })
})
