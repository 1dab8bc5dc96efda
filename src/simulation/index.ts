// Simulated worlds and metrics: the entry point `ren-recommender/simulation`. It also
// runs in a browser.

export { gini } from '../core/statistics.ts'
export { createColdContent } from './cold-content.ts'
export type { ColdContentOptions } from './cold-content.ts'
export type { Contestant, Environment, Outcome, Round, WarmUp } from './environment.ts'
export { createGenres } from './genres.ts'
export type { GenresOptions } from './genres.ts'
export { createLogByTime } from './log-by-time.ts'
export type { LogByTimeOptions } from './log-by-time.ts'
export { createTally, ndcg, precision, recall, reciprocalRank, rollingMean } from './metrics.ts'
export type { Metrics, Tally, TallyOptions } from './metrics.ts'
export { withOracle } from './environment.ts'
export { run } from './run.ts'
export type { Row } from './run.ts'
export { bestSynReward, createSyn, synRewards } from './syn.ts'
export type { Syn, SynOptions } from './syn.ts'
