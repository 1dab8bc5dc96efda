// The protocol `regret`: one algorithm plays a linear bandit whose mean rewards are known. The results
// include the bound of the paper's theorem.

import { Type } from 'typebox'

import { createRandom } from '../../src/core/random.ts'
import type { Protocol, RunJob, Settings, RunRow } from '../../src/experiments/protocol.ts'
import {
  requireShape,
  closed,
  count,
  flag,
  notNegative,
  oneOf,
} from '../../src/experiments/schema.ts'
import type { ArmEstimate, BanditProblem } from '../../src/exploration/index.ts'
import { regretBound } from './bound.ts'
import { createLinearBandit } from './linear-bandit.ts'
import type { LinearBandit } from './linear-bandit.ts'
import { learnerOf } from './learners.ts'
import type { Learner } from './learners.ts'

const worldSchema = closed({
  /** The horizon T, which the algorithms receive. */
  steps: Type.Optional(count),
  delta: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      exclusiveMaximum: 1,
      expected: 'a number between 0 and 1',
    }),
  ),
  noise: Type.Optional(notNegative),
  contexts: Type.Optional(oneOf('exact', 'uncertain')),
  looks: Type.Optional(oneOf('shown', 'all')),
  clip: Type.Optional(flag),
})

const readWorld = (world: Settings) => requireShape(worldSchema, world, 'world', 'plan-invalid')

export const regret: Protocol = {
  check({ world, method, settings }) {
    readWorld(world)
    learnerOf(method).check(settings)
  },
  async run({ world, method, settings, seed, panel, label }: RunJob, progress) {
    const start = performance.now()
    const { steps: horizon = 10_000, delta = 0.1, ...options } = readWorld(world)
    const bandit = createLinearBandit({ ...options, seed })
    const { itemCount, dimension } = bandit
    const problem = { horizon, itemCount, dimension, delta }
    const learner = learnerOf(method).create(settings, problem, createRandom(seed).fork(method))
    const played = play(bandit, learner, horizon, progress)
    const milliseconds = performance.now() - start
    const measures = measuresOf(played)
    return { panel, method: label, seed, ...curvesOf(played, problem), measures, milliseconds }
  },
}

interface Played {
  /** Cumulative regret after every round. */
  readonly regrets: Float64Array
  readonly bestReward: number
  /** Shares of rounds by name, as far as the learner reports them. */
  readonly shares: Readonly<Record<string, number>>
}

function play(
  bandit: LinearBandit,
  learner: Learner,
  steps: number,
  progress: (share: number) => void,
): Played {
  const { rewards } = bandit
  const bestReward = Math.max(...rewards)
  const regrets = new Float64Array(steps)
  const counts = new Map<string, number>()
  const tally = (name: string, holds: boolean | undefined): void => {
    if (holds !== undefined) counts.set(name, (counts.get(name) ?? 0) + Number(holds))
  }
  const isViolated = ({ item, relevance, width }: ArmEstimate): boolean =>
    Math.abs(relevance - rewards[item]!) > width
  for (let round = 0; round < steps; round++) {
    const { item, reason, estimate, estimates } = learner.choose(bandit)
    tally('violations', estimate && isViolated(estimate))
    tally('anyViolations', estimates?.some(isViolated))
    tally('exploreShare', reason && reason === 'explore')
    learner.observe(bandit.pull(item))
    regrets[round] = (regrets[round - 1] ?? 0) + (bestReward - rewards[item]!)
    progress((round + 1) / steps)
  }
  const shares = Object.fromEntries([...counts].map(([name, rounds]) => [name, rounds / steps]))
  return { regrets, bestReward, shares }
}

/** Points per decade of steps. */
const pointsPerDecade = 8

/** 1, 2, 3, 4, 6, 7, 10, 13, …: evenly spaced on a logarithmic axis, plus the last step. */
export function logarithmicSteps(steps: number): number[] {
  const points = Math.floor(pointsPerDecade * Math.log10(steps))
  const spaced = Array.from({ length: points + 1 }, (_, i) =>
    Math.round(10 ** (i / pointsPerDecade)),
  )
  return [...new Set([...spaced, steps])]
}

/**
 * Cumulative regret, the bound as printed in the paper (at that horizon and δ), and the mean reward since
 * the previous point. The runs use weights at δ and T, the proof at δ/(2S + 2), so the bound only shows
 * the scale.
 */
function curvesOf(
  { regrets, bestReward }: Played,
  problem: BanditProblem,
): Pick<RunRow, 'at' | 'series'> {
  const at = logarithmicSteps(regrets.length)
  const curve = at.map((step) => regrets[step - 1]!)
  return {
    at,
    series: {
      regret: curve,
      bound: at.map((horizon) => regretBound({ ...problem, horizon })),
      reward: at.map((step, i) => {
        const lost = curve[i]! - (curve[i - 1] ?? 0)
        return bestReward - lost / (step - (at[i - 1] ?? 0))
      }),
    },
  }
}

/**
 * `slope` is the slope of ln regret over ln t in the last decade of rounds: 1 is linear, 0 is no further
 * regret. `violations` is the share of rounds in which the r̂ of the picked item was further from the truth
 * than its width, `anyViolations` the share in which that was so for any item, which the lemma bounds.
 */
function measuresOf({ regrets, shares }: Played): Record<string, number> {
  const steps = regrets.length
  // The slope of a regret below 1 is meaningless, so the regret counts as 1.
  const after = (round: number): number => Math.max(1, regrets[Math.max(1, round) - 1]!)
  const reached = [1000, 10_000, 100_000].filter((step) => step <= steps)
  return {
    regret: regrets[steps - 1]!,
    ...Object.fromEntries(reached.map((step) => [`regretAt${step}`, regrets[step - 1]!])),
    slope: Math.log10(after(steps) / after(Math.floor(steps / 10))),
    ...shares,
  }
}
