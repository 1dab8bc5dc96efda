// Properties of the estimators on any log.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createRandom } from '../../core/random.ts'
import type { Random } from '../../core/random.ts'
import { directMethodValue, doublyRobustValue } from './modelling.ts'
import { replayValue } from './replay.ts'
import { inversePropensityValue, selfNormalisedValue } from './weighting.ts'

const random = (): Random => createRandom(3).fork('properties')
const options = { resamples: 50 }

const preferences = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 3, maxLength: 3 })
const row = fc.record({
  action: fc.nat(2),
  reward: fc.integer({ min: -8, max: 8 }),
  logged: preferences,
  evaluated: preferences,
})

const chancesOf = (weights: readonly number[]): number[] => {
  const sum = weights.reduce((a, b) => a + b, 0)
  return weights.map((weight) => weight / sum)
}

/** A log over three actions, the policy that wrote it and another one. */
const example = fc.array(row, { minLength: 1, maxLength: 20 }).map((rows) => {
  const logged = rows.map((one) => chancesOf(one.logged))
  const evaluated = rows.map((one) => chancesOf(one.evaluated))
  const log = {
    actions: Int32Array.from(rows, ({ action }) => action),
    rewards: Float32Array.from(rows, ({ reward }) => reward),
    propensities: Float64Array.from(rows, ({ action }, r) => logged[r]![action]!),
    positions: new Int32Array(rows.length),
    contexts: new Int32Array(rows.length),
    actionCount: 3,
    positionCount: 1,
    contextNames: ['any'],
  }
  return {
    log,
    logging: (r: number, action: number): number => logged[r]![action]!,
    policy: (r: number, action: number): number => evaluated[r]![action]!,
  }
})

/** A model of no sense, for identities that hold of every model. */
const rewardModel = (r: number, action: number): number => (r % 3) - action / 2

const estimators = [
  ['IPS', inversePropensityValue],
  ['SNIPS', selfNormalisedValue],
] as const

describe('weighting by propensity', () => {
  it.each(estimators)('by %s gives the logging policy exactly its mean reward', (_, estimate) => {
    fc.assert(
      fc.property(example, ({ log, logging }) => {
        const mean = log.rewards.reduce((a, b) => a + b, 0) / log.rewards.length
        const { value, effectiveSampleSize } = estimate({ log, policy: logging }, random(), options)
        expect(value).toBe(mean)
        expect(effectiveSampleSize).toBe(log.actions.length)
      }),
    )
  })

  it.each(estimators)('by %s scales with the rewards, its interval too', (_, estimate) => {
    fc.assert(
      fc.property(example, fc.integer({ min: -4, max: 4 }), ({ log, policy }, exponent) => {
        const factor = 2 ** exponent
        const scaledLog = { ...log, rewards: log.rewards.map((reward) => factor * reward) }
        const plain = estimate({ log, policy }, random(), options)
        expect(estimate({ log: scaledLog, policy }, random(), options)).toEqual({
          value: factor * plain.value,
          lower: factor * plain.lower,
          upper: factor * plain.upper,
          effectiveSampleSize: plain.effectiveSampleSize,
        })
      }),
    )
  })

  it('rests on at least one row and at most all, by Kish', () => {
    fc.assert(
      fc.property(example, (problem) => {
        const { effectiveSampleSize } = inversePropensityValue(problem, random(), options)
        expect(effectiveSampleSize).toBeGreaterThanOrEqual(1 - 1e-12)
        expect(effectiveSampleSize).toBeLessThanOrEqual(problem.log.actions.length * (1 + 1e-12))
      }),
    )
  })

  it('self-normalised, gives constant rewards back and follows a shift', () => {
    fc.assert(
      fc.property(example, fc.integer({ min: -9, max: 9 }), ({ log, policy }, shift) => {
        const constant = { ...log, rewards: log.rewards.map(() => shift) }
        const { value, lower, upper } = selfNormalisedValue(
          { log: constant, policy },
          random(),
          options,
        )
        for (const bound of [value, lower, upper]) expect(bound).toBeCloseTo(shift, 10)
        const moved = { ...log, rewards: log.rewards.map((reward) => reward + shift) }
        const before = selfNormalisedValue({ log, policy }, random(), options)
        const after = selfNormalisedValue({ log: moved, policy }, random(), options)
        expect(after.value).toBeCloseTo(before.value + shift, 10)
      }),
    )
  })

  it('clips weights: no weight is above the maximum, and a maximum of all changes nothing', () => {
    fc.assert(
      fc.property(
        example,
        fc.double({ min: 0.1, max: 3, noNaN: true }),
        (problem, maximumWeight) => {
          const ones = { ...problem.log, rewards: problem.log.rewards.map(() => 1) }
          const clipped = inversePropensityValue({ ...problem, log: ones }, random(), {
            ...options,
            maximumWeight,
          })
          expect(clipped.upper).toBeLessThanOrEqual(maximumWeight * (1 + 1e-12))
          const loose = inversePropensityValue(problem, random(), {
            ...options,
            maximumWeight: 1e9,
          })
          expect(loose).toEqual(inversePropensityValue(problem, random(), options))
        },
      ),
    )
  })
})

describe('doubly robust', () => {
  it('is IPS with a model of zeros', () => {
    fc.assert(
      fc.property(example, (problem) => {
        const zeros = doublyRobustValue({ ...problem, rewardModel: () => 0 }, random(), options)
        expect(zeros).toEqual(inversePropensityValue(problem, random(), options))
      }),
    )
  })

  it('is the direct method with a model that is right about every logged row', () => {
    fc.assert(
      fc.property(example, ({ log, policy }) => {
        const rewards = Float32Array.from(log.actions, (action, r) => rewardModel(r, action))
        const problem = { log: { ...log, rewards }, policy, rewardModel }
        const { value } = directMethodValue(problem, random(), options)
        expect(doublyRobustValue(problem, random(), options).value).toBe(value)
      }),
    )
  })
})

describe('replay', () => {
  it('of a policy without chance is the mean of the matching rows, as SNIPS is', () => {
    fc.assert(
      fc.property(example, fc.nat(2), (any, always) => {
        fc.pre(any.log.actions.includes(always))
        const log = { ...any.log, propensities: any.log.propensities.map(() => 1 / 3) }
        const policy = (_row: number, action: number): number => Number(action === always)
        const matching = [...log.rewards].filter((_, r) => log.actions[r] === always)
        const estimate = replayValue({ log, policy }, random(), options)
        expect(estimate.matched).toBe(matching.length)
        expect(estimate.effectiveSampleSize).toBe(matching.length)
        expect(estimate.value).toBe(matching.reduce((a, b) => a + b, 0) / matching.length)
        const { value } = selfNormalisedValue({ log, policy }, random(), options)
        expect(value).toBeCloseTo(estimate.value, 12)
      }),
    )
  })
})
