// The estimators against a world whose truth is known: 4 contexts, 10 actions, softmax policies.

import { describe, expect, it } from 'vitest'

import type { BanditLog } from '../../core/log.ts'
import { createRandom } from '../../core/random.ts'
import type { Random } from '../../core/random.ts'
import type { OffPolicyEstimate } from './estimate.ts'
import { directMethodValue, doublyRobustValue } from './modelling.ts'
import { replayValue } from './replay.ts'
import { crossFitRewards } from './reward-model.ts'
import { inversePropensityValue, selfNormalisedValue } from './weighting.ts'

const contextCount = 4
const actionCount = 10
const rowCount = 400
const replications = 200

/** A number for each context and action. */
type Table = readonly (readonly number[])[]

const table = (cell: (context: number, action: number) => number): Table =>
  Array.from({ length: contextCount }, (_, context) =>
    Array.from({ length: actionCount }, (_unused, action) => cell(context, action)),
  )

const sumOf = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)
const meanOf = (values: readonly number[]): number => sumOf(values) / values.length

function softmax(scores: Table): Table {
  return scores.map((row) => {
    const powers = row.map(Math.exp)
    const sum = sumOf(powers)
    return powers.map((power) => power / sum)
  })
}

// Chances of a reward from 0.1 to 0.9; the evaluated policy likes good actions, logging does not.
const means = table(
  (context, action) => 0.1 + 0.2 * (context / 3) + 0.6 * (((7 * context + 3 * action) % 10) / 9),
)
const evaluated = softmax(table((context, action) => 2 * means[context]![action]!))
const tilted = softmax(table((context, action) => 0.6 * Math.sin(5 * context + action)))
const uniform = softmax(table(() => 0))
const truth = meanOf(
  evaluated.map((chances, context) =>
    sumOf(chances.map((chance, a) => chance * means[context]![a]!)),
  ),
)

function draw(chances: readonly number[], random: Random): number {
  let rest = random.uniform()
  return Math.max(
    chances.findIndex((chance) => (rest -= chance) < 0),
    0,
  )
}

/** The table's numbers for the actions of a row. */
const lookUp =
  (values: Table, { contexts }: BanditLog) =>
  (row: number, action: number): number =>
    values[contexts[row]!]![action]!

function simulate(logging: Table, random: Random): BanditLog {
  const contexts = Int32Array.from({ length: rowCount }, () => random.integer(contextCount))
  const actions = contexts.map((context) => draw(logging[context]!, random))
  return {
    contexts,
    actions,
    rewards: Float32Array.from(actions, (action, row) =>
      Number(random.uniform() < means[contexts[row]!]![action]!),
    ),
    propensities: Float64Array.from(actions, (action, row) => logging[contexts[row]!]![action]!),
    positions: new Int32Array(rowCount),
    actionCount,
    positionCount: 1,
    contextNames: means.map((_, context) => `context ${context}`),
  }
}

type Estimator = typeof inversePropensityValue

/** The estimates of the evaluated policy's value from many logs of the same logging policy. */
function replicate(
  logging: Table,
  estimate: Estimator,
  resamples = 400,
): readonly OffPolicyEstimate[] {
  return Array.from({ length: replications }, (_, replication) => {
    const random = createRandom(replication)
    const log = simulate(logging, random.fork('log'))
    return estimate({ log, policy: lookUp(evaluated, log) }, random.fork('estimate'), { resamples })
  })
}

function summarise(estimates: readonly OffPolicyEstimate[]) {
  const mean = meanOf(estimates.map(({ value }) => value))
  const squares = sumOf(estimates.map(({ value }) => (value - mean) ** 2))
  const variance = squares / (replications - 1)
  return {
    variance,
    /** How many standard errors the mean estimate is from the truth. */
    distance: Math.abs(mean - truth) / Math.sqrt(variance / replications),
    coverage: meanOf(estimates.map(({ lower, upper }) => Number(lower <= truth && truth <= upper))),
  }
}

/** Doubly robust with a model that is given as a table. */
const doublyRobustWith =
  (model: Table): Estimator =>
  (problem, random, options) =>
    doublyRobustValue({ ...problem, rewardModel: lookUp(model, problem.log) }, random, options)
const crossFitted: Estimator = (problem, random, options) => {
  const rewardModel = crossFitRewards(problem.log, random.fork('folds'))
  return doublyRobustValue({ ...problem, rewardModel }, random, options)
}
/** Expects a loss from every gain, and the largest from the best. */
const wrongModel = means.map((row) => row.map((reward) => -reward))

describe('on logs whose truth is known', () => {
  it.each([
    ['IPS', tilted, inversePropensityValue],
    ['SNIPS', tilted, selfNormalisedValue],
    ['replay of a uniform log', uniform, replayValue],
    ['doubly robust with a cross-fitted table', tilted, crossFitted],
    ['doubly robust with the true model', tilted, doublyRobustWith(means)],
    ['doubly robust with a wrong model', tilted, doublyRobustWith(wrongModel)],
  ] as const)('%s is centred on it and covers it about 95 times in 100', (_, logging, estimate) => {
    const { distance, coverage } = summarise(replicate(logging, estimate))
    expect(distance).toBeLessThan(3)
    expect(coverage).toBeGreaterThan(0.88)
    expect(coverage).toBeLessThan(0.99)
  })

  it('the value of the logging policy is far from it, so that the test can fail', () => {
    const naive = replicate(tilted, ({ log }, random, options) =>
      inversePropensityValue({ log, policy: lookUp(tilted, log) }, random, options),
    )
    const { distance, coverage } = summarise(naive)
    expect(distance).toBeGreaterThan(20)
    expect(coverage).toBeLessThan(0.5)
  })

  it('doubly robust varies less than IPS with a good model, and more with a wrong one', () => {
    const varianceOf = (estimate: Estimator): number =>
      summarise(replicate(tilted, estimate, 1)).variance
    const plain = varianceOf(inversePropensityValue)
    expect(varianceOf(crossFitted)).toBeLessThan(0.8 * plain)
    expect(varianceOf(doublyRobustWith(means))).toBeLessThan(0.8 * plain)
    expect(varianceOf(doublyRobustWith(wrongModel))).toBeGreaterThan(plain)
  })

  it('the direct method is right with the true model, and as wrong as a wrong one', () => {
    const directWith =
      (model: Table): Estimator =>
      (problem, random, options) =>
        directMethodValue({ ...problem, rewardModel: lookUp(model, problem.log) }, random, options)
    expect(summarise(replicate(tilted, directWith(means), 1)).distance).toBeLessThan(3)
    const { distance, coverage } = summarise(replicate(tilted, directWith(wrongModel)))
    expect(distance).toBeGreaterThan(20)
    expect(coverage).toBeLessThan(0.1)
  })
})
