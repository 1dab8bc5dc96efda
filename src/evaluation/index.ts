// Front door of evaluation: scorers, metrics, intervals and baselines.

export { createItemKnn } from './item-knn.ts'
export type { ItemKnnOptions } from './item-knn.ts'
export { gains, gainsOf, meanGain, rankOf } from './metrics.ts'
export type { Metric } from './metrics.ts'
export { evaluateNextItem } from './next-item.ts'
export type { Evaluation, EvaluationOptions } from './next-item.ts'
export { pairedBootstrap } from './paired-bootstrap.ts'
export type { Interval, PairedGains } from './paired-bootstrap.ts'
export { createPopularity } from './popularity.ts'
export type { BatchScorer, Scorer, TargetVisitor } from './scorer.ts'
export { createSessionKnn } from './session-knn.ts'
export type { SessionKnnOptions } from './session-knn.ts'
