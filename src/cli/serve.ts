// ren serve: a service over HTTP on a store. The code of the service is loaded only by this command, so
// that the others start faster.

import { Option, type Command } from 'commander'

import { labelDefaults } from '../service/http/labels.ts'
import { defaults } from '../service/settings.ts'
import type { ImportFiles } from './import-files.ts'
import { addCatalogOptions, addLogOptions } from './log-options.ts'
import { addNumberOptions, type NumberOptions } from './number-options.ts'
import { commaList, integer, keyValue, notNegative, type OptionValue } from './option-values.ts'
import { addStoreOption, storeVariable, type StoreOption } from './store-option.ts'

export interface ServeOptions extends StoreOption, NumberOptions, ImportFiles {
  /** Undefined without --demo and --no-demo. */
  readonly demo?: boolean
  readonly host: string
  readonly port: number
  readonly variants?: string
  readonly models: 'own' | 'shared'
  readonly relevance: 'blend' | 'model'
  readonly modelFile?: string
  readonly method?: string
  readonly set?: Readonly<Record<string, OptionValue>>
  readonly seed: string
  readonly impressions: 'served' | 'confirmed'
  readonly excludeSeen: 'auto' | 'true' | 'false' | 'interacted' | 'shown'
  /** In seconds. */
  readonly attributionWindow: number
  readonly learning: boolean
  readonly fullTraining: boolean
  readonly allowedHost?: readonly string[]
  readonly allowedOrigin?: readonly string[]
  readonly rateLimit?: number
  readonly titleAttribute: readonly string[]
  readonly imageAttribute: readonly string[]
  readonly imageHosts: readonly string[]
  readonly skipDamaged?: true
  readonly log?: true
  readonly json?: true
}

export function addServe(program: Command): void {
  const command = program
    .command('serve')
    .description('serve recommendations over HTTP and learn from feedback; stop with Ctrl-C')
  addPageOptions(addNetworkOptions(addStoreOption(command)))
  addNumberOptions(addLearningOptions(addModelOptions(addStartOptions(command))))
    .option('--skip-damaged', 'skip events that cannot be read instead of refusing to start')
    .option('--log', 'log every request to standard error')
    .option('--json', 'print messages as JSON lines')
    .action(async (options: ServeOptions) => {
      const { runServe } = await import('./run-serve.ts')
      await runServe(options, [...chosenOptions(command), ...chosenStore(command, options)])
    })
}

/** Options that do not determine what is served. */
const neutralOptions: ReadonlySet<string> = new Set(
  'host port allowedHost allowedOrigin rateLimit demo log json titleAttribute imageAttribute imageHosts'.split(
    ' ',
  ),
)

/** The given options that determine what is served, as flags. */
const chosenOptions = (command: Command): readonly string[] =>
  command.options
    .filter((option) => !neutralOptions.has(option.attributeName()))
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .map((option) => option.long!)

/** The variable that names the store, unless an option or the demo takes precedence. */
const chosenStore = (command: Command, { demo }: ServeOptions): readonly string[] =>
  command.getOptionValueSource('store') === 'env' && demo !== true ? [storeVariable] : []

/** The initial data. */
function addStartOptions(command: Command): Command {
  command
    .option('--demo', 'run the demo with simulated users, in its own store')
    .option('--no-demo', 'never run the demo')
  return addLogOptions(addCatalogOptions(command), false).option(
    '--reward <n>',
    'reward of every row; overrides the log',
    notNegative,
  )
}

/** The address and who may send requests. */
function addNetworkOptions(command: Command): Command {
  return command
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <n>', 'port to listen on; 0 selects a free port', integer(0, 65_535), 7700)
    .option('--allowed-host <names...>', 'other host names that requests may use')
    .option('--allowed-origin <origins...>', 'other sites whose pages may send requests')
    .option(
      '--rate-limit <n>',
      'requests per second per client; 0 for no limit (default: 1000 if requests need a key, else 0)',
      integer(0),
    )
}

const listOption = (flags: string, description: string, value: readonly string[]): Option =>
  new Option(flags, description).argParser(commaList).default(value, value.join(',') || 'none')

/** How the page shows items. */
function addPageOptions(command: Command): Command {
  const { titleAttributes, imageAttributes, imageHosts } = labelDefaults
  const title =
    'attributes with the title of an item, comma-separated; the first one present is used'
  const hosts = 'hosts from which the page may load images over HTTPS, comma-separated'
  return command
    .addOption(listOption('--title-attribute <names>', title, titleAttributes))
    .addOption(
      listOption(
        '--image-attribute <names>',
        'attributes with the image URL of an item',
        imageAttributes,
      ),
    )
    .addOption(listOption('--image-hosts <hosts>', hosts, imageHosts))
}

/** The model and the method. */
function addModelOptions(command: Command): Command {
  return command
    .option(
      '--model-file <file>',
      'serve a model that ren train or ren export wrote; loaded once, then trained further',
    )
    .option('--method <name>', 'the method for all users: ren-g (the default), sasrec+ren, …')
    .option('--set <key=value>', 'a setting of the method, see ren methods; repeatable', keyValue)
    .option('--seed <seed>', 'seed of the initial weights and of all random draws', defaults.seed)
    .addOption(
      new Option(
        '--variants <file>',
        'variants to compare: a JSON list of {name, method, share, settings}',
      ).conflicts(['method', 'set']),
    )
    .addOption(
      new Option('--models <kind>', 'one model per variant, or one shared model')
        .choices(['own', 'shared'])
        .default(defaults.models),
    )
    .addOption(
      new Option(
        '--relevance <kind>',
        'blend: model, transition memory, popularity and click rates; model: the model alone',
      )
        .choices(['blend', 'model'])
        .default(defaults.relevance),
    )
}

/** Feedback and training. */
function addLearningOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--impressions <when>',
        'what counts as an impression: served items, or confirmed ones',
      )
        .choices(['served', 'confirmed'])
        .default(defaults.impressions),
    )
    .addOption(
      new Option('--exclude-seen <which>', 'seen items that requests exclude by default')
        .choices(['auto', 'true', 'false', 'interacted', 'shown'])
        .default(defaults.excludeSeen),
    )
    .option(
      '--attribution-window <seconds>',
      'time after which a shown item without an interaction has reward 0',
      notNegative,
      defaults.attributionWindow / 1000,
    )
    .option('--no-learning', 'do not train')
    .option('--no-full-training', 'do not train over the whole log in the background')
}
