import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '../../core/random.ts'
import { compareVariants, createVariantSums } from './compare-variants.ts'
import type { VariantSums, UserTotals } from './compare-variants.ts'

const sumsOf = (users: Iterable<UserTotals>): VariantSums => {
  const sums = createVariantSums()
  for (const user of users) sums.add(user)
  return sums
}

// Users with more slates choose less, and users differ: slates of one user are not independent.
const kinds = [
  { slates: 2, rate: 0.5 },
  { slates: 5, rate: 0.4 },
  { slates: 20, rate: 0.2 },
] as const
const spread = 0.15
const trueRatio = (lift: number): number => {
  const slates = kinds.reduce((total, kind) => total + kind.slates, 0)
  return kinds.reduce((total, { slates: x, rate }) => total + x * (rate + lift), 0) / slates
}

function userOf(random: Random, lift: number): UserTotals {
  const { slates, rate } = kinds[random.integer(kinds.length)]!
  const own = rate + lift + (random.uniform() < 0.5 ? spread : -spread)
  let slateReward = 0
  for (let i = 0; i < slates; i++) if (random.uniform() < own) slateReward += 1
  return { slates, slateReward }
}

const world = (seed: number, users: number, lifts: readonly number[]) => {
  const random = createRandom(seed)
  return compareVariants(
    'own',
    lifts.map((lift, variant) => {
      const own = random.fork(`arm ${variant}`)
      return [
        `variant ${variant}`,
        sumsOf(Array.from({ length: users }, () => userOf(own, lift))),
      ] as const
    }),
  )
}

const holds = (interval: readonly [number, number] | null, truth: number): boolean =>
  interval !== null && interval[0] <= truth && truth <= interval[1]

describe('an interval over users', () => {
  const seeds = Array.from({ length: 500 }, (_, seed) => seed)
  const share = (hits: readonly boolean[]) => hits.filter(Boolean).length / hits.length

  // With 500 worlds, the standard deviation of a coverage of 95% is 0.01; the seeds are fixed.
  it.each([20, 150])(
    'contains the mean reward of a slate in 95% of worlds with %i users',
    (users) => {
      const worlds = seeds.map((seed) => world(seed, users, [0]))
      const covered = share(
        worlds.map(({ variants }) => holds(variants[0]!.interval, trueRatio(0))),
      )
      expect(covered).toBeGreaterThan(0.92)
      expect(covered).toBeLessThan(0.98)
    },
  )

  it('contains the difference of two variants in 95% of worlds', () => {
    const truth = trueRatio(0.05) - trueRatio(0)
    const worlds = seeds.map((seed) => world(seed, 150, [0, 0.05]))
    const covered = share(worlds.map(({ differences }) => holds(differences[0]!.interval, truth)))
    expect(covered).toBeGreaterThan(0.92)
    expect(covered).toBeLessThan(0.98)
  })

  it('has the right coverage where an interval over slates has far too little', () => {
    const covered = seeds.map((seed) => {
      const [variant] = world(seed, 150, [0]).variants
      const { reward, slates } = variant!
      const reach = 1.96 * Math.sqrt((reward! * (1 - reward!)) / slates)
      return holds([reward! - reach, reward! + reach], trueRatio(0))
    })
    expect(share(covered)).toBeLessThan(0.85)
  })

  it('is about as wide as a bootstrap interval over users', () => {
    const random = createRandom('bootstrap')
    const users = Array.from({ length: 200 }, () => userOf(random, 0))
    const drawn = Array.from({ length: 2000 }, () => {
      const again = users.map(() => users[random.integer(users.length)]!)
      return sumsOf(again).figure('').reward!
    }).toSorted((a, b) => a - b)
    const [low, high] = sumsOf(users).figure('').interval!
    const wider = (high - low) / (drawn[1950]! - drawn[49]!)
    expect(Math.abs(wider - 1)).toBeLessThan(0.1)
  })
})

describe('the sums of a variant', () => {
  const user = fc.record({
    slates: fc.nat({ max: 30 }),
    slateReward: fc.integer({ min: -20, max: 40 }).map((reward) => reward / 4),
  })

  it('are those of the users that were added and not removed', () => {
    fc.assert(
      fc.property(fc.array(user), fc.array(user), (stay, go) => {
        const sums = sumsOf([...go, ...stay])
        for (const one of go) sums.remove(one)
        const expected = sumsOf(stay)
        expect(sums.figure('a')).toEqual(expected.figure('a'))
      }),
    )
  })

  it('give the residuals of the delta method', () => {
    fc.assert(
      fc.property(fc.array(user, { minLength: 2 }), (users) => {
        const { error } = sumsOf(users)
        if (error === null) return
        const shown = users.filter(({ slates, slateReward }) => slates > 0 || slateReward !== 0)
        const slates = shown.reduce((total, one) => total + one.slates, 0)
        const ratio = shown.reduce((total, one) => total + one.slateReward, 0) / slates
        const squares = shown.reduce(
          (total, one) => total + (one.slateReward - ratio * one.slates) ** 2,
          0,
        )
        const variance = squares / (shown.length - 1) / shown.length
        expect(error.value).toBeCloseTo(Math.sqrt(variance) / (slates / shown.length), 6)
      }),
    )
  })

  it('ignore users without slates', () => {
    const sums = sumsOf([
      { slates: 0, slateReward: 0 },
      { slates: 4, slateReward: 1 },
    ])
    expect(sums.figure('a')).toEqual({
      variant: 'a',
      users: 1,
      slates: 4,
      reward: 0.25,
      interval: null,
    })
  })

  it('give no interval if all users are alike, since it would have no width', () => {
    const alike = Array.from({ length: 50 }, () => ({ slates: 3, slateReward: 0.3 }))
    expect(sumsOf(alike).figure('a')).toMatchObject({ users: 50, interval: null })
    expect(sumsOf(alike).figure('a').reward).toBeCloseTo(0.1, 12)
  })
})

describe('a comparison of variants', () => {
  it('contains every variant, and compares the others with the first', () => {
    const { variants, differences } = world(1, 100, [0, 0.1, 0.2])
    expect(variants.map(({ variant }) => variant)).toEqual(['variant 0', 'variant 1', 'variant 2'])
    expect(differences.map(({ variant, against }) => [variant, against])).toEqual([
      ['variant 1', 'variant 0'],
      ['variant 2', 'variant 0'],
    ])
    expect(differences[1]!.difference).toBeCloseTo(variants[2]!.reward! - variants[0]!.reward!, 12)
  })

  it('has no figures for a variant without slates', () => {
    const { variants, differences } = compareVariants('own', [
      ['a', sumsOf([{ slates: 4, slateReward: 1 }])],
      ['b', createVariantSums()],
    ])
    expect(variants[1]).toEqual({ variant: 'b', users: 0, slates: 0, reward: null, interval: null })
    expect(differences).toEqual([{ variant: 'b', against: 'a', difference: null, interval: null }])
  })

  it('says what it measures, and what it cannot measure with a shared model', () => {
    expect(compareVariants('shared', []).measures).toMatch(/^The immediate reward.*share one model/)
    expect(compareVariants('own', []).measures).toMatch(/its own model/)
  })
})
