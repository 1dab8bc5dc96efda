import { describe, expect, it } from 'vitest'
import fc from 'fast-check'

import { choiceOf, readSetting, roundUp, writeSetting } from './setting.ts'
import type { Setting } from './setting.ts'

const amount = fc.double({ min: 0, max: 100, noNaN: true }).map((value) => value + 0)
const settings: fc.Arbitrary<Setting> = fc.oneof(
  fc.constant({ kind: 'own' } as const),
  fc
    .double({ min: 0, max: 1, noNaN: true })
    .map((weight) => ({ kind: 'one', weight: weight + 0 }) as const),
  fc
    .tuple(amount, amount)
    .map(
      ([diversityWeight, uncertaintyWeight]) =>
        ({ kind: 'two', diversityWeight, uncertaintyWeight }) as const,
    ),
)

describe('a setting of exploration', () => {
  it('comes back from the address as it went in, two of them apart from each other', () => {
    fc.assert(
      fc.property(settings, settings, (first, second) => {
        const params = { ...writeSetting(first, ''), ...writeSetting(second, '2') }
        expect(readSetting(params, '')).toEqual(first)
        expect(readSetting(params, '2')).toEqual(second)
      }),
    )
  })

  it('is not read from what is no number, or below 0, and a weight above 1 is 1', () => {
    expect(readSetting({}, '')).toBeNull()
    expect(readSetting({ weight: 'much' }, '')).toBeNull()
    expect(readSetting({ weight: '-0.5' }, '')).toBeNull()
    expect(readSetting({ weight: '7' }, '')).toEqual({ kind: 'one', weight: 1 })
    expect(readSetting({ diversity: '0.5' }, '')).toEqual({
      kind: 'two',
      diversityWeight: 0.5,
      uncertaintyWeight: 0,
    })
  })

  it('asks for nothing where the arm is to answer by itself', () => {
    expect(choiceOf({ kind: 'own' })).toEqual({})
    expect(choiceOf({ kind: 'one', weight: 0.3 })).toEqual({ exploration: { weight: 0.3 } })
  })

  it('has its slider reach a round number that is not below the value, and not far above', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e6, noNaN: true }), (value) => {
        const reach = roundUp(value)
        expect(reach).toBeGreaterThanOrEqual(value * (1 - 1e-12))
        expect(reach).toBeLessThan(2.51 * value)
      }),
    )
    expect([0.0123, 0.3, 1, 1.1, 4, 9].map(roundUp)).toEqual([0.02, 0.5, 1, 2, 5, 10])
  })
})
