// ren generate-data: data in the format of a published data set that cannot be redistributed.

import type { Command } from 'commander'

import { RenError } from '../core/errors.ts'
import {
  defaultNetflix,
  defaultTrivago,
  makeNetflix,
  makeTrivago,
  writeGeneratedData,
} from '../datasets/index.ts'
import type { GeneratedData, NetflixSettings, TrivagoSettings } from '../datasets/index.ts'
import { count } from './counts.ts'
import { describeFailure, systemCodeOf } from './file-failure.ts'
import { untilInterrupted } from './interrupt-signal.ts'
import { integer } from './option-values.ts'
import { createStatusLine } from './status-line.ts'

interface OutputOptions {
  readonly out: string
  readonly json?: true
}

type TrivagoOptions = OutputOptions & TrivagoSettings
type NetflixOptions = OutputOptions &
  Omit<NetflixSettings, 'ratings'> & { readonly interactions?: number }

const ratingsPerUser = defaultNetflix.ratings / defaultNetflix.users

export function addGenerateData(program: Command): void {
  const command = program
    .command('generate-data')
    .description('generate a data set in a published format, with a known truth')
  const { seed, users, items, interactions, hours } = defaultTrivago
  addOutputOptions(command.command('trivago'), 'train.csv and item_metadata.csv', seed)
    .option('--users <n>', 'users, each with at least one clickout', integer(1), users)
    .option('--items <n>', 'accommodations', integer(1), items)
    .option('--interactions <n>', 'clickouts, each with a list of 25', integer(1), interactions)
    .option('--hours <n>', 'length of the log, from 2018-11-01', integer(1), hours)
    .action(({ out, json, ...settings }: TrivagoOptions) =>
      runGenerateData(() => makeTrivago(settings), { out, ...(json && { json }) }),
    )
  addOutputOptions(
    command.command('netflix'),
    'combined_data_*.txt, movie_titles.csv',
    defaultNetflix.seed,
  )
    .option('--users <n>', 'customers', integer(1), defaultNetflix.users)
    .option('--movies <n>', 'movies, up to 17770', integer(1), defaultNetflix.movies)
    .option('--interactions <n>', `ratings (default: ${ratingsPerUser} per user)`, integer(1))
    .action(({ out, json, interactions: ratings, ...rest }: NetflixOptions) => {
      const settings = { ...rest, ratings: ratings ?? ratingsPerUser * rest.users }
      return runGenerateData(() => makeNetflix(settings), { out, ...(json && { json }) })
    })
}

function addOutputOptions(command: Command, files: string, seed: string): Command {
  return command
    .description(`write ${files}`)
    .requiredOption('--out <folder>', 'folder for the files')
    .option('--seed <seed>', 'a number or a string; the same seed gives the same bytes', seed)
    .option('--json', 'print one JSON document; progress goes to standard error')
}

async function runGenerateData(
  make: () => GeneratedData,
  { out, json }: OutputOptions,
): Promise<void> {
  const start = performance.now()
  const data = make()
  const lines = await write(data, out)
  if (lines === null) {
    console.error('interrupted: nothing was written')
    process.exitCode = 130
    return
  }
  const seconds = (performance.now() - start) / 1000
  const files = data.files.map(({ name }) => name)
  if (json) {
    console.log(JSON.stringify({ out, files, lines, seconds, ...data.settings }))
  } else {
    console.log(`wrote ${files.join(', ')} in ${out}`)
    console.log(`${count(lines, 'line')} in ${seconds.toFixed(1)} s`)
  }
}

/** How many lines were written; null if Ctrl-C came first. */
async function write(data: GeneratedData, out: string): Promise<number | null> {
  const status = createStatusLine(process.stderr, () => performance.now())
  let written = 0
  const onProgress = (lines: number): void => {
    written = lines
    status.show(() => `${count(lines, 'line')} written`)
  }
  return untilInterrupted(async (signal) => {
    try {
      await writeGeneratedData(out, data, { signal, onProgress })
      return written
    } catch (cause) {
      if (signal.aborted) return null
      if (systemCodeOf(cause) === undefined) throw cause
      throw new RenError('file-missing', describeFailure('write', out, cause), { cause })
    } finally {
      status.end()
    }
  })
}
