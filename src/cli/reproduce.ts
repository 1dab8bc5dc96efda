// ren reproduce: runs the experiments of the paper. Their plans, results and code are in paper/, which
// only a checkout of the repository has.

import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { Option, type Command } from 'commander'

import { RenError } from '../core/errors.ts'
import { integer, seedsOption } from './option-values.ts'

export interface ReproduceCliOptions {
  readonly seeds?: readonly number[]
  readonly workers: number
  readonly quick?: true
  readonly data?: string
  readonly out?: string
  readonly plans: string
  readonly fresh?: true
  readonly check?: true
  readonly json?: true
}

/** `paper/experiments/run-reproduce.ts`. */
interface PaperModule {
  runReproduce(
    names: readonly string[],
    options: ReproduceCliOptions,
    registry?: string,
  ): Promise<void>
}

/** @param registry The URL of a module with protocols. Defaults to those of the package. */
export function addReproduce(program: Command, registry?: string): void {
  program
    .command('reproduce')
    .description(
      'run or resume experiments of the paper in a checkout of the repository; without a name, list them',
    )
    .argument('[names...]', 'experiments, groups of them, or all')
    .option(
      '--seeds <range>',
      'seeds to use instead of those of the plan, such as 200..219',
      seedsOption,
    )
    .option('--workers <n>', 'parallel runs', integer(1), availableParallelism())
    .option('--quick', 'run a small version of each, in minutes')
    .option('--data <folder>', 'datasets (default: REN_DATA, else data)')
    .option('--out <folder>', 'results (default: paper/results; a new folder with --quick)')
    .option('--plans <folder>', 'folder of plans, one JSON file each', 'paper/plans')
    .option('--fresh', 'start from scratch and ignore existing runs')
    .addOption(
      new Option(
        '--check',
        'repeat a few runs and compare them with the existing results',
      ).conflicts(['quick', 'seeds', 'fresh']),
    )
    .option('--json', 'print one JSON document; progress goes to standard error')
    .action(async (names: readonly string[], options: ReproduceCliOptions) => {
      const { runReproduce } = await loadPaper()
      await runReproduce(names, options, registry)
    })
}

/** Loads the code that runs plans from the checkout. */
async function loadPaper(): Promise<PaperModule> {
  const path = join(import.meta.dirname, '../../paper/experiments/run-reproduce.ts')
  if (existsSync(path)) return (await import(pathToFileURL(path).href)) as PaperModule
  throw new RenError(
    'unsupported-platform',
    'ren reproduce needs the folder paper/, which the package does not contain; ' +
      'run it from a checkout of the repository: npm run ren -- reproduce',
  )
}
