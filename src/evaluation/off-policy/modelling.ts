// Estimators that ask a model what the actions not shown would have earned.

import { RenError } from '../../core/errors.ts'
import type { Random } from '../../core/random.ts'
import type { BootstrapOptions } from '../bootstrap-ratio.ts'
import { estimateMean } from './estimate.ts'
import type { OffPolicyEstimate } from './estimate.ts'
import { forEachRow } from './problem.ts'
import type { OffPolicyProblem } from './problem.ts'
import type { RewardModel } from './reward-model.ts'
import { createWeighing } from './weighting.ts'
import type { WeightingOptions } from './weighting.ts'

/** A problem with a model of its rewards, which must not have learnt from the rows it predicts. */
export interface ModelledProblem extends OffPolicyProblem {
  readonly rewardModel: RewardModel
}

/**
 * The direct method: the mean over rows of Σ_a π(a | x)·q(x, a), with q the model. It is as wrong
 * as the model, and its interval, which takes the model as given, does not show that.
 */
export function directMethodValue(
  problem: ModelledProblem,
  random: Random,
  options: BootstrapOptions = {},
): OffPolicyEstimate {
  const scores = new Float64Array(problem.log.actions.length)
  forEachRow(problem, (row, chances) => {
    scores[row] = expectedReward(problem.rewardModel, row, chances)
  })
  return estimateMean(scores, new Float64Array(scores.length).fill(1), random, options)
}

/**
 * Doubly robust: the direct method plus the mean of w·(r − q(x, a)) over what was shown. Right if
 * the propensities or the model are, and of less variance than IPS if the model is any good.
 */
export function doublyRobustValue(
  problem: ModelledProblem,
  random: Random,
  options: WeightingOptions = {},
): OffPolicyEstimate {
  const { log, rewardModel } = problem
  const scores = new Float64Array(log.actions.length)
  const weights = new Float64Array(scores.length)
  const weigh = createWeighing(problem, options)
  forEachRow(problem, (row, chances) => {
    const weight = weigh(row, chances)
    const error = log.rewards[row]! - predict(rewardModel, row, log.actions[row]!)
    weights[row] = weight
    scores[row] = expectedReward(rewardModel, row, chances) + weight * error
  })
  return estimateMean(scores, weights, random, options)
}

function expectedReward(model: RewardModel, row: number, chances: Float64Array): number {
  let sum = 0
  for (let action = 0; action < chances.length; action++) {
    if (chances[action]! > 0) sum += chances[action]! * predict(model, row, action)
  }
  return sum
}

function predict(model: RewardModel, row: number, action: number): number {
  const reward = model(row, action)
  if (Number.isFinite(reward)) return reward
  throw new RenError(
    'non-finite-input',
    `rewardModel: expected a finite reward of action ${action} in row ${row}, got ${reward}`,
  )
}
