// ren serve: a service over HTTP on a store. What serves is loaded only when it is asked for, so
// that no other command waits for it.

import { Option } from 'commander'
import type { Command } from 'commander'

import { labelDefaults } from '../service/http/labels.ts'
import { defaults } from '../service/settings.ts'
import type { ImportFiles } from './import-files.ts'
import { addCatalogOptions, addLogOptions } from './log-options.ts'
import { addNumberOptions } from './number-options.ts'
import type { NumberOptions } from './number-options.ts'
import { commaList, integer, keyValue, notNegative } from './option-values.ts'
import type { OptionValue } from './option-values.ts'
import { addStoreOption } from './store-option.ts'
import type { StoreOption } from './store-option.ts'

export interface ServeOptions extends StoreOption, NumberOptions, ImportFiles {
  /** Whether there is a demonstration, where that was said. */
  readonly demo?: boolean
  readonly host: string
  readonly port: number
  readonly arms?: string
  readonly models: 'own' | 'shared'
  readonly relevance: 'blend' | 'model'
  readonly modelFile?: string
  readonly method?: string
  readonly set?: Readonly<Record<string, OptionValue>>
  readonly seed: string
  readonly impressions: 'served' | 'confirmed'
  readonly excludeSeen: 'auto' | 'true' | 'false' | 'taken' | 'shown'
  /** In seconds. */
  readonly attributionWindow: number
  readonly learning: boolean
  readonly fullTraining: boolean
  readonly allowedHost?: readonly string[]
  readonly allowedOrigin?: readonly string[]
  readonly rateLimit: number
  readonly titleAttribute: readonly string[]
  readonly imageAttribute: readonly string[]
  readonly imageHosts: readonly string[]
  readonly data?: string
  readonly skipDamaged?: true
  readonly log?: true
  readonly json?: true
}

export function addServe(program: Command): void {
  const command = program
    .command('serve')
    .description('recommend, hear feedback and learn, over HTTP; Ctrl-C ends it')
  addPageOptions(addDoorOptions(addStoreOption(command)))
  addNumberOptions(addLearningOptions(addStartOptions(command)))
    .option('--data <folder>', 'data sets for experiments (default: REN_DATA, else data)')
    .option('--skip-damaged', 'leave out events that cannot be read instead of refusing to start')
    .option('--log', 'write a line for every request to the standard error')
    .option('--json', 'print what there is to say as JSON, a line each')
    .action(async (options: ServeOptions) => {
      const { runServe } = await import('./run-serve.ts')
      await runServe(options, askedFor(command))
    })
}

/** These say nothing of what is served. */
const ofAnyServer: ReadonlySet<string> = new Set(
  'host port allowedHost allowedOrigin rateLimit demo data log json titleAttribute imageAttribute imageHosts'.split(
    ' ',
  ),
)

/** The options that were given and say what is to be served, as they are written. */
const askedFor = (command: Command): readonly string[] =>
  command.options
    .filter((option) => !ofAnyServer.has(option.attributeName()))
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .map((option) => option.long!)

/** What it begins with. */
function addStartOptions(command: Command): Command {
  command
    .option('--demo', 'a demonstration with simulated users, in a store of its own')
    .option('--no-demo', 'no demonstration, not even where nothing else is asked for')
  return addLogOptions(addCatalogOptions(command), false).option(
    '--reward <n>',
    'what each row of the log is worth, whatever it says',
    notNegative,
  )
}

/** Where it can be reached, and by whom. */
function addDoorOptions(command: Command): Command {
  return command
    .option('--host <address>', 'where it listens', '127.0.0.1')
    .option('--port <n>', 'where it listens; 0 takes a free one', integer(0, 65_535), 7700)
    .option('--allowed-host <names...>', 'other names that the server may be asked by')
    .option('--allowed-origin <origins...>', 'other sites whose pages may ask')
    .option('--rate-limit <n>', 'requests a second of one caller; 0 for no limit', integer(0), 1000)
}

/** How the page names items. */
function addPageOptions(command: Command): Command {
  const { titleAttributes, imageAttributes, imageHosts } = labelDefaults
  return command
    .option(
      '--title-attribute <names>',
      'attributes that hold the title of an item, comma-separated; the first that is set counts',
      commaList,
      titleAttributes,
    )
    .option(
      '--image-attribute <names>',
      'attributes that hold the address of an image of an item',
      commaList,
      imageAttributes,
    )
    .option(
      '--image-hosts <hosts>',
      'hosts from which the page may load images over HTTPS, comma-separated (default: none)',
      commaList,
      imageHosts,
    )
}

/** What recommends, and what it learns from. */
function addLearningOptions(command: Command): Command {
  return command
    .option(
      '--model-file <file>',
      'serve the model that ren train or ren export wrote; taken once, then learned from there on',
    )
    .option('--method <name>', 'what recommends to everybody: ren-g (unless said), sasrec+ren, …')
    .option('--set <key=value>', 'a setting of the method; may come often', keyValue)
    .option('--seed <seed>', 'seed of the first weights and of all draws', defaults.seed)
    .addOption(
      new Option(
        '--arms <file>',
        'arms to compare: a JSON list of {name, method, share, settings}',
      ).conflicts(['method', 'set']),
    )
    .addOption(
      new Option('--models <kind>', 'whether each arm has a model of its own, or all share one')
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
    .addOption(
      new Option('--impressions <when>', 'what counts as shown: what was served, or confirmed seen')
        .choices(['served', 'confirmed'])
        .default(defaults.impressions),
    )
    .addOption(
      new Option(
        '--exclude-seen <which>',
        'items that requests leave out unless they say otherwise',
      )
        .choices(['auto', 'true', 'false', 'taken', 'shown'])
        .default(defaults.excludeSeen),
    )
    .option(
      '--attribution-window <seconds>',
      'after which what was shown and not taken is worth 0',
      notNegative,
      defaults.attributionWindow / 1000,
    )
    .option('--no-learning', 'leave the weights as they are')
    .option('--no-full-training', 'do not train over the whole log in the background')
}
