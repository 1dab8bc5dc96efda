// Compares a model with the baselines on the same targets, and prints the results as a table.

import type { InteractionLog, TestSequence } from '../core/log.ts'
import type { Random } from '../core/random.ts'
import {
  createItemKnn,
  createPopularity,
  createSessionKnn,
  evaluateNextItem,
  gainsOf,
  pairedBootstrap,
  type BatchScorer,
  type Evaluation,
  type EvaluationOptions,
  type Interval,
  type Scorer,
} from '../evaluation/index.ts'
import type { EvaluationReport } from './evaluate.ts'
import { count } from './status-line.ts'

/** A model or a baseline that ranks the catalog. */
interface Method {
  readonly name: string
  readonly scorer: Scorer | BatchScorer
}

type Metrics = Pick<Evaluation, 'recall' | 'meanReciprocalRank' | 'ndcg' | 'coverage'>

export interface MethodResult extends Metrics {
  readonly name: string
  /** The recall of the model minus the recall of this baseline, with a 95% interval. */
  readonly lead?: Interval
}

interface ComparisonOptions extends EvaluationOptions {
  /** Bootstrap resamples for the intervals; 0 for no intervals. */
  readonly resamples: number
  readonly random: Random
}

/** The baselines, fitted on the training part of a log. */
export function fitBaselines(train: InteractionLog): readonly Method[] {
  return [
    { name: 'popularity', scorer: createPopularity(train) },
    { name: 'item-kNN', scorer: createItemKnn(train) },
    { name: 'session-kNN', scorer: createSessionKnn(train) },
  ]
}

/** Evaluates the model, if there is one, and the baselines. */
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

const signed = (n: number): string => `${n < 0 ? '−' : '+'}${Math.abs(n).toFixed(4)}`

export function printEvaluation(report: EvaluationReport): void {
  const { targets, sequences, items, split, dropped, caution, cutoff, methods } = report
  console.log(
    `${count(targets, 'target')} of ${count(sequences, 'sequence')}, held out by ${split}; each is ranked ` +
      `among all ${count(items, 'item')}\n`,
  )
  for (const line of tableOf(methods, cutoff)) console.log(line)
  console.log('\nTies are ranked conservatively: items that score ≥ the target come before it.')
  if (report.excludeHistory) console.log('Items of the history are ranked after all others.')
  const rows = dropped.unseenItems + dropped.unknownToModel
  if (rows > 0) console.log(`Excluded: ${count(rows, 'event')} of items without training data.`)
  if (report.events.skipped > 0) console.log(`Skipped: ${count(report.events.skipped, 'bad row')}.`)
  if (caution !== null) console.log(`Caution: ${caution}`)
}

function tableOf(methods: readonly MethodResult[], k: number): string[] {
  const withLead = methods.some(({ lead }) => lead !== undefined)
  const header = ['', `Recall@${k}`, `MRR@${k}`, `NDCG@${k}`, 'coverage']
  const rows = methods.map(({ name, recall, meanReciprocalRank, ndcg, coverage, lead }) => [
    name,
    ...[recall, meanReciprocalRank, ndcg, coverage].map((value) => value.toFixed(4)),
    ...(lead ? [`${signed(lead.difference)} (${signed(lead.lower)} … ${signed(lead.upper)})`] : []),
  ])
  const table = [withLead ? [...header, `model's lead in Recall@${k} (95%)`] : header, ...rows]
  const widths = header.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  const pad = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column] ?? 0)
  return table.map((row) => row.map(pad).join('  ').trimEnd())
}
