// What the estimators refuse, rather than answer with something that is not a number.

import { describe, expect, it } from 'vitest'

import type { BanditLog } from '../../core/log.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { createRandom } from '../../core/random.ts'
import type { Random } from '../../core/random.ts'
import { directMethodValue, doublyRobustValue } from './modelling.ts'
import type { OffPolicyProblem } from './problem.ts'
import { replayValue } from './replay.ts'
import { inversePropensityValue, selfNormalisedValue } from './weighting.ts'
import type { WeightingOptions } from './weighting.ts'

type Estimate = (problem: OffPolicyProblem, options?: WeightingOptions) => unknown

const random = (): Random => createRandom(5)
const rewardModel = (): number => 0
const weighing: readonly (readonly [string, Estimate])[] = [
  ['IPS', (problem, options) => inversePropensityValue(problem, random(), options)],
  ['SNIPS', (problem, options) => selfNormalisedValue(problem, random(), options)],
  ['DR', (problem, options) => doublyRobustValue({ ...problem, rewardModel }, random(), options)],
]
const replay: Estimate = (problem, options) => replayValue(problem, random(), options)
const direct: Estimate = (problem, options) =>
  directMethodValue({ ...problem, rewardModel }, random(), options)

const log: BanditLog = {
  actions: Int32Array.of(0, 1, 0),
  rewards: Float32Array.of(1, 0, 1),
  propensities: Float64Array.of(0.5, 0.5, 0.5),
  positions: new Int32Array(3),
  contexts: new Int32Array(3),
  actionCount: 2,
  positionCount: 1,
  contextNames: ['any'],
}
const policy = (): number => 0.5

const refused = (code: ErrorCode, text: string): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(text) })

const badLogs: readonly (readonly [string, Partial<BanditLog>, ErrorCode, string])[] = [
  ['no rows', emptyColumns(), 'shape-mismatch', 'at least one'],
  ['a column too short', { rewards: Float32Array.of(1) }, 'shape-mismatch', '3 and 1, 3, 3, 3'],
  ['an unknown action', { actions: Int32Array.of(0, 2, 0) }, 'index-out-of-range', 'actions[1]'],
  ['an unnamed context', { contextNames: [] }, 'index-out-of-range', 'contexts[0]'],
  ['no positions', { positionCount: 0 }, 'index-out-of-range', 'positions[0]'],
  ['a reward of NaN', { rewards: Float32Array.of(1, NaN, 0) }, 'non-finite-input', 'rewards[1]'],
  ['half an action', { actionCount: 2.5 }, 'invalid-argument', 'actionCount'],
  ['a propensity of 0', propensity(0), 'invalid-argument', 'propensities[1] must be above 0'],
  ['a propensity above 1', propensity(1.5), 'invalid-argument', 'propensities[1] must be above 0'],
  ['a propensity of NaN', propensity(NaN), 'invalid-argument', 'propensities[1] must be above 0'],
]

function propensity(second: number): Partial<BanditLog> {
  return { propensities: Float64Array.of(0.5, second, 0.5) }
}

function emptyColumns(): Partial<BanditLog> {
  const [none, rewards, propensities] = [
    new Int32Array(0),
    new Float32Array(0),
    new Float64Array(0),
  ]
  return { actions: none, rewards, propensities, positions: none, contexts: none }
}

describe.each([...weighing, ['replay', replay], ['the direct method', direct]] as const)(
  '%s refuses',
  (_, estimate) => {
    it.each(badLogs)('a log with %s', (_what, columns, code, text) => {
      expect(() => estimate({ log: { ...log, ...columns }, policy })).toThrow(refused(code, text))
    })

    it.each([
      ['sum to less than 1', () => 0.4, 'row 0 must sum to 1, got 0.8'],
      ['sum to more than 1', () => 0.6, 'row 0 must sum to 1, got 1.2'],
      ['are not numbers', () => NaN, 'action 0 in row 0 must be at least 0, got NaN'],
      ['are below 0', (_row: number, action: number) => 3 * action - 1, 'at least 0, got -1'],
    ])('chances that %s', (_what, chances, text) => {
      expect(() => estimate({ log, policy: chances })).toThrow(refused('invalid-argument', text))
    })

    it.each([{ resamples: 0 }, { resamples: 1.5 }, { confidence: 95 }, { confidence: 0 }])(
      'the settings %o of a bootstrap',
      (options) => {
        expect(() => estimate({ log, policy }, options)).toThrow(
          refused('invalid-argument', 'at least 1 resample and a confidence between 0 and 1'),
        )
      },
    )
  },
)

describe.each([...weighing, ['replay', replay]] as const)('%s', (_, estimate) => {
  it('refuses a policy that shares no action with the log', () => {
    const columns = { actions: Int32Array.of(0, 0, 0) }
    const other = (_row: number, action: number): number => action
    expect(() => estimate({ log: { ...log, ...columns }, policy: other })).toThrow(
      refused('invalid-argument', 'no overlap'),
    )
  })

  it('answers with numbers from a single row of overlap, whatever the bootstrap draws', () => {
    const second = (_row: number, action: number): number => action
    expect(estimate({ log, policy: second })).toMatchObject({
      value: 0,
      lower: 0,
      upper: 0,
      effectiveSampleSize: 1,
    })
  })
})

describe.each(weighing)('%s', (_, estimate) => {
  it.each([0, -1, NaN])('refuses a maximum weight of %d', (maximumWeight) => {
    expect(() => estimate({ log, policy }, { maximumWeight })).toThrow(
      refused('invalid-argument', 'maximumWeight must be above 0'),
    )
  })

  it('refuses to answer when a weight overflows', () => {
    expect(() => estimate({ log: { ...log, ...propensity(5e-324) }, policy })).toThrow(
      refused('non-finite-result', 'a propensity is too small'),
    )
  })
})

describe('replay', () => {
  it('refuses a log that was not uniform, since its matches would not be either', () => {
    expect(() => replay({ log: { ...log, ...propensity(0.4) }, policy })).toThrow(
      refused('invalid-argument', 'replay needs uniform logging'),
    )
  })
})

describe.each([
  ['DR', doublyRobustValue],
  ['the direct method', directMethodValue],
] as const)('%s', (_, value) => {
  it('refuses a model that predicts no number', () => {
    const broken = (row: number, action: number): number => (row === 1 && action === 1 ? NaN : 0)
    expect(() => value({ log, policy, rewardModel: broken }, random())).toThrow(
      refused('non-finite-input', 'action 1 in row 1'),
    )
  })
})
