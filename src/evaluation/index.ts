// Offline evaluation: scorers, ranks, metrics, confidence intervals and baselines. The entry point
// `ren-recommender/evaluation`.

export { createItemKnn, createPopularity, createSessionKnn } from './baselines.ts'
export type { ItemKnnOptions, SessionKnnOptions } from './baselines.ts'
export { gains, gainsOf, meanGain, rankOf, evaluateNextItem } from './next-item.ts'
export type {
  BatchScorer,
  Evaluation,
  EvaluationOptions,
  Metric,
  Scorer,
  TargetVisitor,
} from './next-item.ts'
export type { BootstrapOptions, Interval, PairedGains } from './paired-bootstrap.ts'
export { pairedBootstrap } from './paired-bootstrap.ts'
