import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCountUncertainty, type CountRule } from './uncertainty.ts'

function estimate(rule: CountRule, impressions: readonly number[]): number[] {
  const out = new Float32Array(impressions.length)
  createCountUncertainty({ rule }).estimate({ impressions: Float32Array.from(impressions) }, out)
  return [...out]
}

describe('uncertainty by counts', () => {
  it('is 1/√n, and 1 for an item that was never shown', () => {
    expect(estimate('floor', [0, 1, 4, 16])).toEqual([1, 1, 0.5, 0.25])
  })

  it('is 1/√(n + 1) under the rule add-one', () => {
    expect(estimate('add-one', [0, 3, 15])).toEqual([1, 0.5, 0.25])
  })

  it('falls linearly to 0 under the rule trial', () => {
    expect(estimate('trial', [0, 15, 30, 1000])).toEqual([1, 0.5, 0, 0])
  })

  it.each(['floor', 'add-one'] as const)('never grows with an impression (%s)', (rule) => {
    const count = fc.oneof(fc.nat(2 ** 30), fc.float({ min: 0, max: 2 ** 100, noNaN: true }))
    fc.assert(
      fc.property(count, count, (a, b) => {
        const [fewer, more] = estimate(rule, [Math.min(a, b), Math.max(a, b)])
        expect(more).toBeLessThanOrEqual(fewer!)
        expect(more).toBeGreaterThan(0)
      }),
    )
  })

  it('also counts interactions, on request', () => {
    const uncertainty = createCountUncertainty({ evidence: 'impressions-and-interactions' })
    const evidence = {
      impressions: Float32Array.of(0, 4, 4, 0),
      interactions: Float32Array.of(0, 0, 5, 9),
    }
    const out = new Float32Array(4)
    uncertainty.estimate(evidence, out)
    expect([...out]).toEqual([1, 0.5, Math.fround(1 / 3), Math.fround(1 / 3)])
    const plain = new Float32Array(4)
    createCountUncertainty().estimate(evidence, plain)
    expect([...plain]).toEqual([1, 0.5, 0.5, 1])
  })

  it('refuses missing or invalid counts of interactions', () => {
    const { estimate: fill } = createCountUncertainty({ evidence: 'impressions-and-interactions' })
    const impressions = new Float32Array(2)
    const out = new Float32Array(2)
    expect(() => fill({ impressions }, out)).toThrow('interactions must be present')
    expect(() => fill({ impressions, interactions: new Float32Array(3) }, out)).toThrow(
      'interactions must hold 2 values, got 3',
    )
    expect(() => fill({ impressions, interactions: Float32Array.of(1, -1) }, out)).toThrow(
      'interactions[1]',
    )
    expect(() => createCountUncertainty({ evidence: 'bogus' as never })).toThrow(
      'evidence must be impressions or impressions-and-interactions, got "bogus"',
    )
  })

  it('is written only for the given items', () => {
    const out = new Float32Array(4).fill(7)
    const impressions = Float32Array.of(4, 9, 16, 25)
    createCountUncertainty().estimate({ impressions }, out, Int32Array.of(2, 0))
    expect([...out]).toEqual([0.5, 7, 0.25, 7])
  })

  it('refuses an unknown rule, and names the rules', () => {
    for (const rule of ['bogus', 'toString', null]) {
      const create = () => createCountUncertainty({ rule: rule as CountRule })
      expect(create).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
      expect(create).toThrow(`one of floor, add-one, trial, got ${JSON.stringify(rule)}`)
    }
  })

  it('refuses invalid counts, and an output of another length', () => {
    for (const bad of [-1, Number.NaN, Infinity]) {
      expect(() => estimate('floor', [1, bad])).toThrow('impressions[1]')
    }
    const { estimate: fill } = createCountUncertainty()
    expect(() => fill({ impressions: new Float32Array(2) }, new Float32Array(3))).toThrow(
      expect.objectContaining({ code: 'shape-mismatch' }),
    )
  })
})
