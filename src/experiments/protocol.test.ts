import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { roundRow } from './protocol.ts'

const rowWith = (values: readonly number[]) => ({
  panel: 'p',
  method: 'm',
  seed: 1,
  at: values.map((_, i) => 1_234_567 + i),
  series: { reward: values },
  measures: { end: values[0]! },
  milliseconds: 12.7,
})

describe('a rounded row', () => {
  it('has six significant digits and does not change when rounded again', () => {
    const value = fc.double({ min: -1e12, max: 1e12, noNaN: true })
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), (values) => {
        const rounded = roundRow(rowWith(values))
        rounded.series['reward']!.forEach((near, i) => {
          expect(Math.abs(near - values[i]!)).toBeLessThanOrEqual(5.1e-6 * Math.abs(values[i]!))
        })
        expect(roundRow(rounded)).toEqual(rounded)
        expect(JSON.parse(JSON.stringify(rounded))).toEqual(rounded)
      }),
    )
  })

  it('retains steps and rounds the time to milliseconds', () => {
    expect(roundRow(rowWith([1.23456789]))).toMatchObject({
      at: [1_234_567],
      series: { reward: [1.23457] },
      measures: { end: 1.23457 },
      milliseconds: 13,
    })
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses %s and names the series', (value) => {
    expect(() => roundRow(rowWith([0, value]))).toThrow(/reward must be finite/)
  })
})
