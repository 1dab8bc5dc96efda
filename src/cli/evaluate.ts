// ren evaluate: how well a model and the baselines predict what a log holds out.

import type { Command } from 'commander'

import { RenError } from '../core/errors.ts'
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
  requireChoice,
  withFiniteScores,
} from './catalog.ts'
import { addThreadsOption, withEngine } from './engine-option.ts'
import { compareMethods, fitBaselines, printEvaluation } from './evaluation-report.ts'
import type { EvaluationReport } from './evaluation-report.ts'
import { chooseSplit, holdOutForms, parseHoldOut } from './hold-out.ts'
import type { HoldOut } from './hold-out.ts'
import { addLogOptions, readEvents } from './log-options.ts'
import type { LogOptions } from './log-options.ts'
import { digestOf, readModel } from './model-file.ts'
import type { StoredModel } from './model-file.ts'
import { integer } from './option-values.ts'
import { count, whole, createStatusLine, percent, timeLeft } from './status-line.ts'

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

async function evaluate(engine: Engine, options: EvaluateOptions): Promise<EvaluationReport> {
  const start = performance.now()
  const { events, modelFile, cutoff, excludeHistory = false, baselines } = options
  if (modelFile === undefined && !baselines) {
    throw invalid('there is nothing to evaluate without --model-file and without baselines')
  }
  const stored = modelFile === undefined ? null : await readModel(engine, modelFile)
  const { log, skipped } = await readEvents(options)
  const { train, sequences, ...test } = prepare(log, stored, options.split)
  const model = stored && {
    name: stored.model.architecture.description.model,
    scorer: withFiniteScores(createCatalogScorer(stored.model)),
  }
  const others = baselines ? fitBaselines(train) : []
  const targets = countTargets(sequences)
  const progress = createRankingLine((others.length + (model ? 1 : 0)) * targets)
  const methods = compareMethods(model, others, sequences, {
    cutoff,
    excludeHistory,
    onRanked: progress.ranked,
    resamples: options.bootstrap,
    random: createRandom(options.seed),
  })
  progress.end()
  return {
    events: { file: events, rows: log.users.length, skipped },
    model: stored && { file: modelFile, ...stored.model.architecture.description },
    ...test,
    items: train.itemNames.length,
    sequences: sequences.length,
    targets,
    cutoff,
    excludeHistory,
    ties: 'conservative',
    methods,
    seconds: (performance.now() - start) / 1000,
  }
}

/** Says how many of all targets have been ranked. */
function createRankingLine(all: number) {
  const clock = (): number => performance.now()
  const [line, start] = [createStatusLine(process.stderr, clock), clock()]
  let done = 0
  return {
    ranked() {
      const share = ++done / all
      const words = (): string[] => [percent(share), `${whole(done)} of ${whole(all)} ranked`]
      line.show(() => [...words(), timeLeft(share, clock() - start)].join('  '), share)
    },
    end: line.end,
  }
}

/** Cuts the log as the model's training did; all items are numbered as the model has them. */
function prepare(log: InteractionLog, stored: StoredModel | null, wanted: HoldOut | undefined) {
  const { split, caution } = chooseSplit(stored, digestOf(log), wanted)
  const { train, test } = split.cut(log)
  const catalog = stored?.itemNames ?? catalogOf(train)
  requireChoice(catalog, split.text)
  const numbered = numberSequences(test.sequences, placesIn(catalog, log))
  if (numbered.sequences.length === 0) {
    throw invalid(
      `--split ${split.text} holds out nothing that can be predicted, of ` +
        `${count(log.users.length, 'row')} of ${count(log.userNames.length, 'user')}`,
    )
  }
  return {
    split: split.text,
    caution,
    train: numberLog(train, catalog),
    sequences: numbered.sequences,
    dropped: {
      unseenItems: test.dropped.unseenItems,
      unknownToModel: numbered.unknown,
      withoutTarget: test.dropped.withoutTarget + numbered.withoutTarget,
    },
  }
}

const invalid = (message: string): RenError => new RenError('invalid-argument', message)
