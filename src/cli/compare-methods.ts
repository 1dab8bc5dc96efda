// A model and the baselines over the same targets, and how sure the model's lead is.

import type { InteractionLog, TestSequence } from '../core/log.ts'
import type { Random } from '../core/random.ts'
import {
  createItemKnn,
  createPopularity,
  createSessionKnn,
  evaluateNextItem,
  gainsOf,
  pairedBootstrap,
} from '../evaluation/index.ts'
import type {
  BatchScorer,
  Evaluation,
  EvaluationOptions,
  Interval,
  Scorer,
} from '../evaluation/index.ts'

/** Something that ranks the catalog. */
export interface Method {
  readonly name: string
  readonly scorer: Scorer | BatchScorer
}

export interface MethodResult {
  readonly name: string
  readonly recall: number
  readonly meanReciprocalRank: number
  readonly ndcg: number
  readonly coverage: number
  /** The model's recall minus this baseline's, with a 95 % interval. */
  readonly lead?: Interval
}

export interface ComparisonOptions extends EvaluationOptions {
  /** Resamples of the intervals; 0 for none. */
  readonly resamples: number
  readonly random: Random
}

/** The baselines, fitted on the part of a log that a model may learn from. */
export function fitBaselines(train: InteractionLog): readonly Method[] {
  return [
    { name: 'popularity', scorer: createPopularity(train) },
    { name: 'item-kNN', scorer: createItemKnn(train) },
    { name: 'session-kNN', scorer: createSessionKnn(train) },
  ]
}

/** Evaluates the model, where there is one, and the baselines beside it. */
export function compareMethods(
  model: Method | null,
  baselines: readonly Method[],
  sequences: readonly TestSequence[],
  { resamples, random, ...options }: ComparisonOptions,
): readonly MethodResult[] {
  const evaluate = ({ scorer }: Method): Evaluation => evaluateNextItem(scorer, sequences, options)
  const own = model && evaluate(model)
  const others = baselines.map((method) => {
    const other = evaluate(method)
    if (own === null || resamples === 0) return resultOf(method, other)
    const lead = leadOver(own, other, resamples, random.fork(method.name))
    return { ...resultOf(method, other), lead }
  })
  return model && own ? [resultOf(model, own), ...others] : others
}

function resultOf({ name }: Method, evaluation: Evaluation): MethodResult {
  const { recall, meanReciprocalRank, ndcg, coverage } = evaluation
  return { name, recall, meanReciprocalRank, ndcg, coverage }
}

function leadOver(own: Evaluation, other: Evaluation, resamples: number, random: Random): Interval {
  const recallOf = ({ ranks, cutoff }: Evaluation) => gainsOf(ranks, 'recall', cutoff)
  const gains = { first: recallOf(own), second: recallOf(other), clusters: own.clusters }
  return pairedBootstrap(gains, random, { resamples })
}
