// ren evaluate: measures how well a model and the baselines predict the held-out items of a log.

import type { Command } from 'commander'

import { invalid } from '../core/errors.ts'
import type { InteractionLog } from '../core/log.ts'
import { createRandom } from '../core/random.ts'
import type { Engine } from '../kernels/index.ts'
import { createCatalogScorer } from '../models/index.ts'
import {
  catalogOf,
  countTargets,
  numberLog,
  numberSequences,
  placesIn,
  requireTwoItems,
  withFiniteScores,
} from './catalog.ts'
import { addThreadsOption, withEngine } from './engine-option.ts'
import { compareMethods, fitBaselines, printEvaluation } from './evaluation-report.ts'
import { chooseSplit, holdOutForms, parseHoldOut, type HoldOut } from './hold-out.ts'
import { addLogOptions, readEvents, type LogOptions } from './log-options.ts'
import { digestOf, readModel, type StoredModel } from './model-file.ts'
import { integer } from './option-values.ts'
import { count, showStatus, rounded } from './status-line.ts'

interface EvaluateOptions extends LogOptions {
  readonly modelFile?: string
  readonly split?: HoldOut
  readonly cutoff: number
  readonly excludeHistory?: true
  readonly baselines: boolean
  readonly bootstrap: number
  readonly seed: string
  readonly threads: number
  readonly json?: true
}

export function addEvaluate(program: Command): void {
  const { none: _, ...forms } = holdOutForms
  const command = program
    .command('evaluate')
    .description('rank the held-out items of a log with a model and with baselines')
  addLogOptions(command)
    .option('--model-file <file>', 'the model; without it, only the baselines are evaluated')
    .option(
      '--split <rule>',
      `what to hold out: ${Object.values(forms).join(', ')} (default: the split that the model was trained ` +
        'with, else last)',
      parseHoldOut,
    )
    .option('--cutoff <k>', 'length of the ranked list', integer(1), 20)
    .option('--exclude-history', 'rank items that the user has already chosen below all others')
    .option('--no-baselines', 'evaluate only the model')
    .option(
      '--bootstrap <n>',
      'bootstrap resamples for the intervals; 0 for none',
      integer(0),
      2000,
    )
    .option('--seed <seed>', 'seed of the resamples', '1')
  addThreadsOption(command).option('--json', 'print one JSON document').action(runEvaluate)
}

async function runEvaluate(options: EvaluateOptions): Promise<void> {
  const report = await withEngine(options.threads, (engine) => evaluate(engine, options))
  if (options.json) console.log(JSON.stringify(report))
  else printEvaluation(report)
}

export type EvaluationReport = Awaited<ReturnType<typeof evaluate>>

async function evaluate(engine: Engine, options: EvaluateOptions) {
  const start = performance.now()
  const { events, modelFile, cutoff, excludeHistory = false, baselines } = options
  if (modelFile === undefined && !baselines) {
    throw invalid('--no-baselines requires --model-file')
  }
  const stored = modelFile === undefined ? null : await readModel(engine, modelFile)
  const { log, skipped } = await readEvents(options)
  const { train, sequences, ...test } = prepare(log, stored, options.split)
  const model = stored && methodFrom(stored)
  const others = baselines ? fitBaselines(train) : []
  const targets = countTargets(sequences)
  const all = (others.length + (model ? 1 : 0)) * targets
  const methods = await withRankingStatus(all, (onRanked) =>
    compareMethods(model, others, sequences, {
      cutoff,
      excludeHistory,
      onRanked,
      resamples: options.bootstrap,
      random: createRandom(options.seed),
    }),
  )
  return {
    events: { file: events, rows: log.users.length, skipped },
    /** The file, name and options of the model; null without a model. */
    model: stored && { file: modelFile, ...stored.model.architecture.description },
    ...test,
    /** The size of the catalog in which every target is ranked. */
    items: train.itemNames.length,
    sequences: sequences.length,
    targets,
    cutoff,
    excludeHistory,
    /** How ties are ranked. */
    ties: 'conservative' as const,
    methods,
    seconds: (performance.now() - start) / 1000,
  }
}

const methodFrom = ({ model }: StoredModel) => ({
  name: model.architecture.description.model,
  scorer: withFiniteScores(createCatalogScorer(model)),
})

/** Runs `body` with a line that shows how many of all targets are ranked. */
function withRankingStatus<T>(all: number, body: (onRanked: () => void) => T): Promise<T> {
  let done = 0
  return showStatus(async (show) =>
    body(() => show(++done / all, () => `${rounded(done)} of ${rounded(all)} ranked`)),
  )
}

/** Splits the log as the training of the model did, and numbers all items as in the model. */
function prepare(log: InteractionLog, stored: StoredModel | null, wanted: HoldOut | undefined) {
  const { split, caution } = chooseSplit(stored, digestOf(log), wanted)
  const { train, test } = split.cut(log)
  const catalog = stored?.itemNames ?? catalogOf(train)
  requireTwoItems(catalog, split.text)
  const numbered = numberSequences(test.sequences, placesIn(catalog, log))
  if (numbered.sequences.length === 0) {
    throw invalid(
      `--split ${split.text} holds out no item that can be predicted, in ` +
        `${count(log.users.length, 'row')} of ${count(log.userNames.length, 'user')}`,
    )
  }
  return {
    split: split.text,
    caution,
    train: numberLog(train, catalog),
    sequences: numbered.sequences,
    dropped: {
      /** Rows whose item is not in the training data. */
      unseenItems: test.dropped.unseenItems,
      /** Rows whose item is in the training data, but not in the model file. */
      unknownToModel: numbered.unknown,
      /** Sequences without a remaining target. */
      withoutTarget: test.dropped.withoutTarget + numbered.withoutTarget,
    },
  }
}
