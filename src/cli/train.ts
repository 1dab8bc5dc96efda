// ren train: trains a model on a log and writes it to a file.

import { basename } from 'node:path'
import { Option, type Command } from 'commander'

import { invalid } from '../core/errors.ts'
import { byUser, type InteractionLog } from '../core/log.ts'
import { createRandom } from '../core/random.ts'
import { evaluateNextItem } from '../evaluation/index.ts'
import type { LogSize, SequenceModel } from '../models/index.ts'
import { createCatalogScorer, createSequenceModel, modelNames } from '../models/index.ts'
import { startItemsFromMemory } from '../recommender/full-training.ts'
import { catalogOf, countTargets, numberLog, requireTwoItems, withFiniteScores } from './catalog.ts'
import { addThreadsOption, withEngine } from './engine-option.ts'
import { requireWritable } from './files.ts'
import { holdOutForms, parseHoldOut, type HoldOut } from './hold-out.ts'
import { addLogOptions, readEvents, type LogOptions } from './log-options.ts'
import { digestOf, writeModel } from './model-file.ts'
import { integer, keyValue } from './option-values.ts'
import { addRecipeOptions, setUpTraining, type SetupOptions, type TrainingSetup } from './recipe.ts'
import { count, rounded, createProgressLine } from './status-line.ts'
import { runInterruptibly, startTraining, type Outcome } from './training.ts'

export type TrainingReport = ReturnType<typeof reportOf>

function printTraining(report: TrainingReport): void {
  const { events, recipe, interrupted } = report
  const skipped = events.skipped > 0 ? `, ${count(events.skipped, 'bad row')} skipped` : ''
  const lines = {
    read: `${count(events.rows, 'row')} of ${count(events.users, 'user')}${skipped}`,
    'held out': `${report.split} for ren evaluate, ${report.validation.rule} for validation`,
    trained: `${report.model.model} on ${count(report.trainingRows, 'row')}, ${count(report.items, 'item')}`,
    with: `${recipe.loss} and ${recipe.optimizer}, ${count(report.steps, 'step')} in ${count(report.epochs, 'epoch')}`,
    loss: `${report.loss.toFixed(4)}, the mean of the last epoch`,
    weights: describeWeights(report),
    took: `${report.seconds.toFixed(1)} s, ${rounded(report.eventsPerSecond)} events/s including validation`,
    wrote: interrupted ? `${report.out}, after an interruption` : report.out,
  }
  for (const [what, value] of Object.entries(lines)) console.log(`${what.padEnd(8)}  ${value}`)
}

function describeWeights({ validation, interrupted }: TrainingReport): string {
  const { recall, cutoff, targets } = validation
  if (recall === null)
    return `of the ${interrupted ? 'last step' : 'last epoch'}, without validation`
  const quality = `Recall@${cutoff} ${recall.toFixed(4)} over ${count(targets, 'target')}`
  return `of the best epoch: validation ${quality}`
}

interface TrainOptions extends LogOptions, SetupOptions {
  readonly out: string
  readonly split: HoldOut
  readonly validation?: HoldOut
  readonly seed: string
  readonly threads: number
  readonly json?: true
}

/** The training and validation data, with items numbered as in the catalog. */
type TrainingPart = ReturnType<typeof prepare>

/** The length of the ranked list in the validation: 20, but at most a tenth of the catalog. */
const cutoffFor = (itemCount: number): number => Math.min(20, Math.ceil(itemCount / 10))

export function addTrain(program: Command): void {
  const command = program
    .command('train')
    .description('train a model on a log and write it to a file')
  addLogOptions(command)
    .addOption(
      new Option(
        '--model <name>',
        'the architecture, with its usual recipe; without it, the default recipe',
      ).choices(modelNames),
    )
    .requiredOption('--out <file>', 'path of the model file (safetensors)')
    .option('--set <key=value>', 'a setting of the model, see ren methods; repeatable', keyValue)
    .addOption(
      new Option(
        '--split <rule>',
        `what to hold out for ren evaluate: ${Object.values(holdOutForms).join(', ')}`,
      )
        .argParser(parseHoldOut)
        .default(parseHoldOut('last'), 'last'),
    )
    .option(
      '--validation <rule>',
      'what to hold out of the rest for early stopping: last, time=F, period=N, none (default: last ' +
        'with --split last, else time=0.1)',
      parseHoldOut,
    )
    .option(
      '--patience <n>',
      'epochs without a better validation before training stops (default: 3; 5 with --model)',
      integer(1),
    )
  addRecipeOptions(command).option('--seed <seed>', 'seed of weights and training; any text', '1')
  addThreadsOption(command)
    .option('--json', 'print one JSON document; progress goes to standard error')
    .action(runTrain)
}

async function runTrain(options: TrainOptions): Promise<void> {
  const start = performance.now()
  // The options of a named model are checked before the log is read. The default recipe needs the log.
  const chosen = options.model === undefined ? null : setUpTraining(options, 0)
  await requireWritable(options.out)
  const { log, skipped } = await readEvents(options)
  const part = prepare(log, options)
  const plan = chosen ?? setUpTraining(options, part.itemNames.length, sizeOf(part))
  const outcome = await withEngine(options.threads, async (engine) => {
    const { itemNames, rules } = part
    const random = createRandom(options.seed).fork('model')
    const model = createSequenceModel(engine, plan.architecture, itemNames.length, random)
    const trained = await runTraining(model, plan, part, options.seed)
    const record = { events: basename(options.events), digest: digestOf(log), ...rules }
    await writeModel(options.out, { model, itemNames }, { ...record, seed: options.seed })
    return trained
  })
  if (outcome.interrupted) process.exitCode = 130
  const seconds = (performance.now() - start) / 1000
  const report = reportOf(options, plan, part, outcome, { log, skipped, seconds })
  if (options.json) console.log(JSON.stringify(report))
  else printTraining(report)
}

function reportOf(
  options: TrainOptions,
  { architecture, recipe }: TrainingSetup,
  part: TrainingPart,
  { validation: recall, ...trained }: Outcome,
  { log, skipped, seconds }: { log: InteractionLog; skipped: number; seconds: number },
) {
  return {
    events: { file: options.events, rows: log.users.length, users: log.userNames.length, skipped },
    split: part.rules.split,
    trainingRows: part.train.users.length,
    items: part.itemNames.length,
    model: architecture.description,
    recipe,
    seed: options.seed,
    ...trained,
    validation: {
      rule: part.rules.validation,
      targets: countTargets(part.validation),
      cutoff: cutoffFor(part.itemNames.length),
      /** The validation of the written weights; null without a validation. */
      recall: recall ?? null,
    },
    seconds,
    out: options.out,
  }
}

const sizeOf = ({ train: { users } }: TrainingPart): LogSize => ({
  sequences: new Set(users).size,
  events: users.length,
})

/** Splits off the held-out data, then the validation data. The catalog has the items that remain. */
function prepare(log: InteractionLog, options: TrainOptions) {
  const { split, validation = parseHoldOut(split.text === 'last' ? 'last' : 'time=0.1') } = options
  const { train: seen } = split.cut(log)
  const itemNames = catalogOf(seen)
  requireTwoItems(itemNames, split.text)
  const { train, test } = validation.cut(numberLog(seen, itemNames))
  const rules = { split: split.text, validation: validation.text }
  if (train.users.length > 0) return { itemNames, train, validation: test.sequences, rules }
  throw invalid(
    `--split ${rules.split} and --validation ${rules.validation} leave no row to train on`,
  )
}

/** Trains to the end or to Ctrl-C. */
function runTraining(
  model: SequenceModel,
  { recipe, patience, startsFromMemory }: TrainingSetup,
  { train, validation }: TrainingPart,
  seed: string,
): Promise<Outcome> {
  const cutoff = cutoffFor(model.itemCount)
  const progress = createProgressLine(`validation Recall@${cutoff}`)
  const validate = (trained: SequenceModel): number =>
    evaluateNextItem(withFiniteScores(createCatalogScorer(trained)), validation, { cutoff }).recall
  const [sequences, random] = [byUser(train), createRandom(seed)]
  if (startsFromMemory) startItemsFromMemory(model, sequences, random.fork('factors'))
  const training = startTraining(model, recipe, {
    sequences,
    random: random.fork('training'),
    patience,
    ...(validation.length > 0 && { validate }),
  })
  return runInterruptibly(training, progress.show).finally(progress.end)
}
