// A comparison of methods in a synthetic world, a few rounds at a time: the same world, models and kernels
// as everywhere else. It does not depend on the page, so the benchmark runs it in Node too.

import { mean, standardError } from '../../core/statistics.ts'
import type { Engine } from '../../kernels/index.ts'
import { createMethod } from '../../recommender/index.ts'
import { createSyn, createTally, rollingMean, run, withOracle } from '../../simulation/index.ts'
import type { SynOptions } from '../../simulation/index.ts'
import { tallied } from '../../simulation/metrics.ts'

export interface ComparisonSetup {
  readonly world: Pick<SynOptions, 'repeats' | 'feedback' | 'noise' | 'drift' | 'arrivalEvery'>
  readonly methods: readonly string[]
  /** The number of seeds; each method runs in one world per seed 1, 2, … */
  readonly seeds: number
  /** Rounds per method and seed. */
  readonly rounds: number
}

export interface MethodResult {
  readonly method: string
  /** The mean over seeds of the rolling reward at each point, and its standard error. */
  readonly reward: readonly number[]
  readonly rewardError: readonly number[]
  /** Cumulative. */
  readonly regret: readonly number[]
  readonly regretError: readonly number[]
  /** The share of the catalog that was ever shown. */
  readonly coverage: number
}

export type Comparison = ReturnType<typeof createComparison>

/** Rounds of the rolling mean: few enough to show changes early in a run. */
const smoothing = 60
const maxPoints = 200

export function createComparison(engine: Engine, setup: ComparisonSetup) {
  const { methods, seeds, rounds } = setup
  const entered = methods.map((method) => ({
    method,
    runners: Array.from({ length: seeds }, (_, i) => enter(engine, method, i + 1, setup)),
  }))
  const all = entered.flatMap(({ runners }) => runners)
  let played = 0
  /** The rounds at which the curves have a point. */
  const points = (): number[] => {
    const every = Math.max(5, Math.ceil(rounds / maxPoints))
    return Array.from({ length: Math.floor(played / every) }, (_, i) => (i + 1) * every)
  }
  return {
    /** Completed rounds per method and seed. */
    get played() {
      return played
    },
    get isOver() {
      return played >= rounds
    },
    /** Runs some rounds of each method and seed, and returns their total number. */
    play(wanted: number): number {
      const more = Math.min(wanted, rounds - played)
      for (const { rows } of all) for (let i = 0; i < more; i++) rows.next()
      played += more
      return more * all.length
    },
    points,
    results: (): MethodResult[] =>
      entered.map(({ method, runners }) => resultOf(method, runners, points())),
  }
}

function enter(engine: Engine, method: string, seed: number, setup: ComparisonSetup) {
  const world = createSyn({ ...setup.world, seed, steps: setup.rounds })
  const tally = createTally({ itemCount: world.itemNames.length })
  const { environment, oracle } = withOracle(world)
  const contestant =
    method === 'oracle'
      ? oracle
      : createMethod(engine, method, { itemNames: world.itemNames, seed })
  return { rows: tallied(run(environment, contestant), tally), tally }
}

function resultOf(
  method: string,
  runners: readonly ReturnType<typeof enter>[],
  at: readonly number[],
): MethodResult {
  const rewards = runners.map(({ tally }) => rollingMean(tally.rewards, at, smoothing))
  const regrets = runners.map(({ tally }) => at.map((step) => tally.regrets[step - 1]!))
  const across = (curves: readonly (readonly number[])[], sum: typeof mean): number[] =>
    at.map((_, point) => sum(curves.map((curve) => curve[point]!)))
  return {
    method,
    reward: across(rewards, mean),
    rewardError: across(rewards, standardError),
    regret: across(regrets, mean),
    regretError: across(regrets, standardError),
    coverage: mean(runners.map(({ tally }) => tally.metrics().coverage)),
  }
}

export type ToWorker =
  | { readonly kind: 'start'; readonly setup: ComparisonSetup }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }

export type FromWorker =
  | {
      readonly kind: 'progress'
      readonly played: number
      readonly isOver: boolean
      readonly at: readonly number[]
      readonly results: readonly MethodResult[]
      /** Rounds of all methods and seeds per second of simulation. */
      readonly stepsPerSecond: number
      /** Which kernels the browser runs. */
      readonly kernel: string
    }
  /** No round runs until the comparison is resumed. */
  | { readonly kind: 'paused' }
  | { readonly kind: 'failed'; readonly message: string }
