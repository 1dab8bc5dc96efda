// Offline evaluation: scorers, ranks, metrics, confidence intervals and baselines. The entry point
// `ren-recommender/evaluation`.

export { createItemKnn, createSessionKnn } from './neighbours.ts'
export type { ItemKnnOptions, SessionKnnOptions } from './neighbours.ts'
export { gains, gainsOf, meanGain, rankOf, evaluateNextItem } from './next-item.ts'
export type { Metric, Evaluation, EvaluationOptions } from './next-item.ts'
export type { BootstrapOptions, Interval, PairedGains } from './paired-bootstrap.ts'
export { pairedBootstrap } from './paired-bootstrap.ts'
export { createPopularity } from './scorer.ts'
export type { BatchScorer, Scorer, TargetVisitor } from './scorer.ts'
