import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { bestReward, latestResults, roundCurves } from './round-curves.ts'

const variant = (policy: string, seed: number, rewards: readonly number[], best = 1) => ({
  variant: `${policy} ${seed}`,
  policy,
  seed,
  at: rewards.map((_, i) => 10 * (i + 1)),
  reward: rewards,
  regret: rewards.map((reward, i) => 10 * (i + 1) * (best - reward)),
})

describe('roundCurves', () => {
  it('is the mean of the seeds ± one standard error', () => {
    const variants = [
      variant('REN', 1, [0.2, 0.4]),
      variant('REN', 2, [0.4, 0.4]),
      variant('greedy', 1, [0.3]),
    ]
    const { x, lines } = roundCurves(variants, 'reward')
    expect(x).toEqual([10, 20])
    const [ren, greedy] = lines
    expect(ren!.label).toBe('REN')
    expect(ren!.values[0]).toBeCloseTo(0.3)
    expect(ren!.low![0]).toBeCloseTo(0.2)
    expect(ren!.high![0]).toBeCloseTo(0.4)
    expect([ren!.low![1], ren!.high![1]]).toEqual([0.4, 0.4])
    expect(greedy!.values).toEqual([0.3, null])
  })

  it('waits for the slowest seed', () => {
    const { lines } = roundCurves(
      [variant('REN', 1, [0.2, 0.4]), variant('REN', 2, [0.4])],
      'regret',
    )
    expect(lines[0]!.values.map((value) => value !== null)).toEqual([true, false])
  })
})

describe('latestResults', () => {
  it('is after the last round that all have completed', () => {
    const variants = [variant('REN', 1, [0.2, 0.5, 0.6]), variant('greedy', 1, [0.3, 0.4])]
    expect(latestResults(roundCurves(variants, 'reward'))).toEqual({
      round: 20,
      policies: [
        { policy: 'REN', value: 0.5 },
        { policy: 'greedy', value: 0.4 },
      ],
    })
  })

  it('is null before the first round', () => {
    expect(latestResults(roundCurves([], 'reward'))).toBeNull()
    expect(latestResults(roundCurves([variant('REN', 1, [])], 'reward'))).toBeNull()
  })
})

describe('bestReward', () => {
  it('is the sum of reward and regret per round', () => {
    const share = fc.float({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.array(share, { minLength: 1 }), share, (rewards, best) => {
        const variants = rewards.map((reward, seed) => variant('REN', seed, [reward], best))
        expect(bestReward(variants)).toBeCloseTo(best, 5)
      }),
    )
  })

  it('is unknown if variants disagree, and before the first point', () => {
    expect(bestReward([variant('REN', 1, [0.2], 0.8), variant('REN', 2, [0.2], 0.7)])).toBeNull()
    expect(bestReward([variant('REN', 1, [])])).toBeNull()
  })
})
