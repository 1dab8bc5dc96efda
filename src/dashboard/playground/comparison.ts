// A comparison of methods in a synthetic world, a few rounds at a time: the same world, models and kernels
// as everywhere else. It does not depend on the page, so the benchmark runs it in Node too.

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

/** The course of a method in the world of one seed. */
export interface SeedResult {
  readonly policy: string
  /** The rounds at which the curves have a point. */
  readonly at: readonly number[]
  /** The rolling mean. */
  readonly reward: readonly number[]
  /** Cumulative. */
  readonly regret: readonly number[]
  /** The share of the catalog that was ever shown. */
  readonly coverage: number
}

export type Comparison = ReturnType<typeof createComparison>

/** Rounds of the rolling mean: few enough to show changes early in a run. */
const smoothing = 60
const maxPoints = 200

export function createComparison(engine: Engine, setup: ComparisonSetup) {
  const { methods, seeds, rounds } = setup
  const runners = methods.flatMap((method) =>
    Array.from({ length: seeds }, (_, i) => enter(engine, method, i + 1, setup)),
  )
  let played = 0
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
      for (const { rows } of runners) for (let i = 0; i < more; i++) rows.next()
      played += more
      return more * runners.length
    },
    results(): SeedResult[] {
      const at = points()
      return runners.map((runner) => resultOf(runner, at))
    },
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
  return { method, rows: tallied(run(environment, contestant), tally), tally }
}

const resultOf = (
  { method: policy, tally }: ReturnType<typeof enter>,
  at: readonly number[],
): SeedResult => ({
  policy,
  at,
  reward: rollingMean(tally.rewards, at, smoothing),
  regret: at.map((step) => tally.regrets[step - 1]!),
  coverage: tally.metrics().coverage,
})

export type ToWorker =
  | { readonly kind: 'start'; readonly setup: ComparisonSetup }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }

export type FromWorker =
  | {
      readonly kind: 'progress'
      readonly played: number
      readonly isOver: boolean
      readonly results: readonly SeedResult[]
      /** Rounds of all methods and seeds per second of simulation. */
      readonly stepsPerSecond: number
      /** Which kernels the browser runs. */
      readonly kernel: string
    }
  /** No round runs until the comparison is resumed. */
  | { readonly kind: 'paused' }
  | { readonly kind: 'failed'; readonly message: string }
