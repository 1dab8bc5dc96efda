import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLearnedUncertainty } from './uncertainty.ts'

const impressions = new Float32Array(3)
const estimate = (priorDeviation: number, deviations: Float32Array) => {
  const out = new Float32Array(deviations.length)
  createLearnedUncertainty({ priorDeviation }).estimate({ impressions, deviations }, out)
  return out
}
const positive = { min: 1e-3, max: 1e3, noNaN: true }

describe('learned uncertainty', () => {
  it('is 1 at the prior, and proportional to the deviation', () => {
    expect([...estimate(0.5, Float32Array.of(0.5, 0.25, 0))]).toEqual([1, 0.5, 0])
  })

  it('is exactly 1 for an item at the prior, whatever the prior', () => {
    fc.assert(
      fc.property(fc.double(positive), (prior) => {
        expect(estimate(prior, Float32Array.of(prior))[0]).toBe(1)
      }),
    )
  })

  it('never exceeds that of an unseen item, and never falls with the deviation', () => {
    fc.assert(
      fc.property(fc.double(positive), fc.float32Array({ min: 0, noNaN: true }), (prior, list) => {
        const deviations = list.filter(Number.isFinite).toSorted()
        const out = estimate(prior, deviations)
        expect(out.every((value) => value >= 0 && value <= 1)).toBe(true)
        expect(out).toEqual(out.toSorted())
      }),
    )
  })

  it('refuses deviations that are absent, of another length or out of range', () => {
    const learned = createLearnedUncertainty({ priorDeviation: 1 })
    const out = new Float32Array(2)
    const from = (deviations: Float32Array) => () =>
      learned.estimate({ impressions, deviations }, out)
    const code = (name: string) => expect.objectContaining({ code: name })
    expect(() => learned.estimate({ impressions }, out)).toThrow(code('invalid-argument'))
    expect(from(new Float32Array(3))).toThrow(code('shape-mismatch'))
    for (const bad of [-1, Number.NaN, Infinity]) {
      expect(from(Float32Array.of(1, bad))).toThrow('deviations[1] must be')
    }
  })

  it.each([0, -1, Number.NaN, Infinity, 1e-60])('refuses %f as a prior', (priorDeviation) => {
    expect(() => createLearnedUncertainty({ priorDeviation })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })
})
