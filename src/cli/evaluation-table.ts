// What `ren evaluate` found, as a table for people.

import { count } from './counts.ts'
import type { MethodResult } from './compare-methods.ts'

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
