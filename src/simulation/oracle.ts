// The contestant that knows: it shows a slate that is worth the most.

import { invalid } from '../core/errors.ts'
import type { Contestant, Environment, Round } from './environment.ts'

/** An oracle for a world, and the world through which the oracle sees the round that is asked. */
export function withOracle(environment: Environment): {
  readonly environment: Environment
  readonly oracle: Contestant
} {
  let now: Round | null = null
  return {
    environment: {
      ...environment,
      nextRound() {
        now = environment.nextRound()
        return now
      },
    },
    oracle: {
      recommend() {
        if (now === null) throw invalid('no round has begun')
        return { items: environment.bestSlate(now).map((item) => ({ item })) }
      },
      observe() {},
      fineTune() {},
    },
  }
}
