import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { readSetting, roundUp, writeSetting } from './setting-controls.tsx'
import type { Setting } from './setting-controls.tsx'

const amount = fc.double({ min: 0, max: 100, noNaN: true }).map((value) => value + 0)
const settings: fc.Arbitrary<Setting> = fc.oneof(
  fc.constant('own' as const),
  fc.double({ min: 0, max: 1, noNaN: true }).map((weight) => ({ weight: weight + 0 })),
  fc.record({ diversityWeight: amount, uncertaintyWeight: amount }),
)

describe('a setting of exploration', () => {
  it('round-trips through the URL, also for two settings', () => {
    fc.assert(
      fc.property(settings, settings, (first, second) => {
        const params = { ...writeSetting(first, ''), ...writeSetting(second, '2') }
        expect(readSetting(params, '')).toEqual(first)
        expect(readSetting(params, '2')).toEqual(second)
      }),
    )
  })

  it('ignores values that are not numbers or below 0, and limits the weight to 1', () => {
    expect(readSetting({}, '')).toBeNull()
    expect(readSetting({ weight: 'much' }, '')).toBeNull()
    expect(readSetting({ weight: '-0.5' }, '')).toBeNull()
    expect(readSetting({ weight: '7' }, '')).toEqual({ weight: 1 })
    expect(readSetting({ diversity: '0.5' }, '')).toEqual({
      diversityWeight: 0.5,
      uncertaintyWeight: 0,
    })
  })

  it('has a slider range up to a round number at or slightly above the value', () => {
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
