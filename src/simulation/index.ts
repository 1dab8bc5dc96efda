// Front door of simulation: worlds, contestants, and what comes of them. Runs in a browser too.

export type { Contestant, Environment, Outcome, Round, WarmUp } from './environment.ts'
export { expectedBest } from './expectations.ts'
export {
  createTally,
  gini,
  ndcg,
  precision,
  recall,
  reciprocalRank,
  rollingMean,
} from './metrics.ts'
export type { Metrics, Tally, TallyOptions } from './metrics.ts'
export { withOracle } from './oracle.ts'
export { run } from './run.ts'
export type { Row } from './run.ts'
export { bestSynReward, createSyn, synRewards } from './syn.ts'
export type { SynOptions } from './syn.ts'
