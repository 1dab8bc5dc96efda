// Compares a model with the baselines on the same targets, and prints the result as a table.

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
import { count } from './status-line.ts'

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

export interface EvaluationReport {
  readonly events: { readonly file: string; readonly rows: number; readonly skipped: number }
  /** The model's file, name and options; null where only baselines were tested. */
  readonly model: Readonly<Record<string, unknown>> | null
  readonly split: string
  readonly caution: string | null
  /** Size of the catalog that every target is ranked in. */
  readonly items: number
  readonly sequences: number
  readonly targets: number
  readonly dropped: {
    /** Rows whose item training never saw. */
    readonly unseenItems: number
    /** Rows whose item the model file does not know, though training could have seen it. */
    readonly unknownToModel: number
    /** Sequences without a target that is left. */
    readonly withoutTarget: number
  }
  readonly cutoff: number
  readonly excludeHistory: boolean
  /** How equal scores are ranked. */
  readonly ties: 'conservative'
  readonly methods: readonly MethodResult[]
  readonly seconds: number
}

const signed = (n: number): string => `${n < 0 ? '−' : '+'}${Math.abs(n).toFixed(4)}`

export function printEvaluation(report: EvaluationReport): void {
  const { targets, sequences, items, split, dropped, caution, cutoff, methods } = report
  console.log(
    `${count(targets, 'target')} of ${count(sequences, 'sequence')}, held out by ${split}, each ranked ` +
      `among all ${count(items, 'item')}\n`,
  )
  for (const line of tableOf(methods, cutoff)) console.log(line)
  console.log(
    '\nTies are ranked conservatively: every item that scores ≥ the target stands before it.',
  )
  if (report.excludeHistory) console.log('Items of the history are ranked last.')
  const rows = dropped.unseenItems + dropped.unknownToModel
  if (rows > 0)
    console.log(`Left out: ${count(rows, 'event')} of items that were not there to learn.`)
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
  const table = [withLead ? [...header, `model's lead in Recall@${k} (95 %)`] : header, ...rows]
  const widths = header.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  return table.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
}
