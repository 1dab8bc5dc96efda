// The off-policy estimators on real logs of two policies that ran side by side. With about 50
// clicks in 10,000 rows this checks the estimators; it could not rank policies.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom } from 'ren-recommender'
import type { Random } from 'ren-recommender'
import { readOpenBandit } from 'ren-recommender/datasets'
import type { OpenBanditResult } from 'ren-recommender/datasets'
import {
  crossFitRewards,
  doublyRobustValue,
  inversePropensityValue,
  pairedBootstrap,
  replayValue,
  selfNormalisedValue,
} from 'ren-recommender/evaluation'
import type { Interval, TargetPolicy } from 'ren-recommender/evaluation'
import { beforeAll, describe, expect, it } from 'vitest'
import { checkout } from '../scripts/checkout.ts'

type BanditLog = OpenBanditResult['log']

// The files are not in this repository: set REN_DATA to the folder that holds them.
const data = process.env['REN_DATA'] ?? join(checkout, '../shared/data')
const random = (): Random => createRandom('open bandit')
const options = { resamples: 500 }

/** The click rate of a log, with its interval. */
function clickRate({ rewards }: BanditLog): Interval {
  const gains = {
    first: rewards,
    second: new Float32Array(rewards.length),
    clusters: [...rewards.keys()],
  }
  return pairedBootstrap(gains, random(), options)
}

/** How often a log shows each action at each position, as a policy for the rows of another log. */
function frequenciesOf(source: BanditLog, target: BanditLog): TargetPolicy {
  const counts = new Float64Array(source.positionCount * source.actionCount)
  const shown = new Float64Array(source.positionCount)
  for (const [row, position] of source.positions.entries()) {
    counts[position * source.actionCount + source.actions[row]!]! += 1
    shown[position]! += 1
  }
  return (row, action) => {
    const position = target.positions[row]!
    return counts[position * source.actionCount + action]! / shown[position]!
  }
}

describe.skipIf(!existsSync(join(data, 'obd'))).for([
  { campaign: 'men', clicks: { random: 46, bts: 69 } },
  { campaign: 'women', clicks: { random: 46, bts: 46 } },
] as const)('the Open Bandit logs of the campaign $campaign', ({ campaign, clicks }) => {
  let uniform: BanditLog
  let thompson: BanditLog
  beforeAll(async () => {
    uniform = (await readOpenBandit(data, { campaign, policy: 'random' })).log
    thompson = (await readOpenBandit(data, { campaign, policy: 'bts' })).log
  })

  it('hold as many clicks as were published', () => {
    const sumOf = (rewards: Float32Array): number => rewards.reduce((a, b) => a + b, 0)
    expect({ random: sumOf(uniform.rewards), bts: sumOf(thompson.rewards) }).toEqual(clicks)
  })

  it('give the uniform policy the click rate of its own log', () => {
    const problem = { log: uniform, policy: () => 1 / uniform.actionCount }
    const estimate = inversePropensityValue(problem, random(), options)
    expect(estimate.value).toBeCloseTo(clickRate(uniform).difference, 12)
    expect(estimate.effectiveSampleSize).toBeCloseTo(uniform.actions.length, 6)
  })

  it('give Thompson sampling, seen from the uniform log, an interval that meets that of its own', () => {
    const policy = frequenciesOf(thompson, uniform)
    const rewardModel = crossFitRewards(uniform, random().fork('folds'))
    const problem = { log: uniform, policy, rewardModel }
    const truth = clickRate(thompson)
    const estimates = [replayValue, inversePropensityValue, selfNormalisedValue].map((estimate) =>
      estimate(problem, random(), options),
    )
    for (const estimate of [...estimates, doublyRobustValue(problem, random(), options)]) {
      expect(estimate.lower).toBeLessThan(truth.upper)
      expect(estimate.upper).toBeGreaterThan(truth.lower)
    }
  })
})
