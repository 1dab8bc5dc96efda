// Summarizes the slates of many users: means over users, and differences from greedy slates that are
// paired by user.

import type { RunRow } from '../../src/experiments/protocol.ts'
import { estimate } from '../../src/experiments/summary.ts'
import type { Curve, Served } from './serve.ts'

const mean = (values: readonly number[]): number => estimate(values).mean

/** Means over users after each step. */
export function curvesOf(served: readonly Served[]): Pick<RunRow, 'at' | 'series'> {
  const steps = served[0]!.precision.map((_, step) => step)
  const curve = (name: Curve) => steps.map((step) => mean(served.map((user) => user[name][step]!)))
  return {
    at: steps.map((step) => step + 1),
    series: {
      holdOutRecall: curve('holdOutRecall'),
      explorationRecall: curve('explorationRecall'),
      precision: curve('precision'),
    },
  }
}

/** The measures of users to whom nothing is shown, equal at every step. */
export function flatCurve(
  recalls: readonly number[],
  steps: number,
): Pick<RunRow, 'at' | 'series' | 'measures'> {
  const recall = mean(recalls)
  const at = Array.from({ length: steps }, (_, step) => step + 1)
  return {
    at,
    series: { holdOutRecall: at.map(() => recall) },
    measures: { meanHoldOut: recall, lastHoldOut: recall },
  }
}

/** `greedy` has the slates of the same users by the same model without exploration. */
export function measuresOf(
  served: readonly Served[],
  greedy: readonly Served[],
): Record<string, number> {
  const over = (of: (user: Served) => number): number => mean(served.map(of))
  const paired = (of: (user: Served) => number) =>
    estimate(served.map((user, i) => of(user) - of(greedy[i]!)))
  const last = (curve: Curve) => (user: Served) => user[curve].at(-1)!
  const difference = paired(meanHoldOut)
  const lastDifference = paired(last('holdOutRecall'))
  return {
    meanHoldOut: over(meanHoldOut),
    lastHoldOut: over(last('holdOutRecall')),
    lastExploration: over(last('explorationRecall')),
    meanPrecision: over((user) => mean(user.precision)),
    holdOutDifference: difference.mean,
    holdOutDifferenceError: difference.standardError,
    lastHoldOutDifference: lastDifference.mean,
    lastHoldOutDifferenceError: lastDifference.standardError,
    lastExplorationDifference: paired(last('explorationRecall')).mean,
    firstChange: mean(served.map((user, i) => firstChange(user.slates[0]!, greedy[i]!.slates[0]!))),
  }
}

/** The time to choose a slate, which varies between runs. */
export const timesOf = (served: readonly Served[]): Record<string, number> => ({
  millisecondsPerSlate: mean(
    served.map(({ milliseconds, slates }) => milliseconds / slates.length),
  ),
})

const meanHoldOut = ({ holdOutRecall }: Served): number => mean(holdOutRecall)

/** The first slot, counted from 1, in which two slates differ, or one past the end if they are equal. */
export function firstChange(slate: readonly string[], other: readonly string[]): number {
  const place = slate.findIndex((item, i) => item !== other[i])
  return 1 + (place < 0 ? slate.length : place)
}
