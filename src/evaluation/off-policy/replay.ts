// Replay (Li et al., 2011): the evaluated policy acts on every row, and only the rows on which it
// chose what was logged count. Without bias, as if it had run itself, but under uniform logging only.

import type { BanditLog } from '../../core/log.ts'
import { invalid } from '../../core/errors.ts'
import type { Random } from '../../core/random.ts'
import { total } from '../bootstrap-ratio.ts'
import type { BootstrapOptions } from '../bootstrap-ratio.ts'
import { estimateRatio } from './estimate.ts'
import type { OffPolicyEstimate } from './estimate.ts'
import { forEachRow } from './problem.ts'
import type { OffPolicyProblem } from './problem.ts'

/** An estimate from the rows that matched. */
export interface ReplayEstimate extends OffPolicyEstimate {
  /** Rows on which the evaluated policy chose the logged action. */
  readonly matched: number
}

/**
 * Mean reward of the rows on which an action drawn from the evaluated policy is the logged one.
 * Refuses a log whose propensities are not all 1 / `actionCount`: the matches would then favour
 * what the logging policy liked.
 */
export function replayValue(
  problem: OffPolicyProblem,
  random: Random,
  options: BootstrapOptions = {},
): ReplayEstimate {
  const { actions, rewards } = problem.log
  const matches = new Float64Array(actions.length)
  forEachRow(problem, (row, chances) => {
    requireUniform(problem.log, row)
    matches[row] = Number(drawAction(chances, random) === actions[row])
  })
  const numerators = matches.map((match, row) => match * rewards[row]!)
  const contributions = { numerators, denominators: matches, weights: matches }
  return { ...estimateRatio(contributions, random, options), matched: total(matches) }
}

// Where rounding leaves a rest above the last chance, the last action that has one is drawn.
function drawAction(chances: Float64Array, random: Random): number {
  let rest = random.uniform()
  let drawn = 0
  for (let action = 0; action < chances.length; action++) {
    const chance = chances[action]!
    if (chance > 0) drawn = action
    if (rest < chance) break
    rest -= chance
  }
  return drawn
}

function requireUniform({ propensities, actionCount }: BanditLog, row: number): void {
  if (Math.abs(propensities[row]! * actionCount - 1) < 1e-6) return
  throw invalid(
    `replay needs uniform logging, a propensity of 1 / ${actionCount} in every row, but row ` +
      `${row} has ${propensities[row]}: use an estimator that weighs by propensity`,
  )
}
