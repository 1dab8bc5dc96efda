// The options by which a command is told of a log, and the reading of it.

import { basename, extname } from 'node:path'

import { Option } from 'commander'
import type { Command } from 'commander'

import { RenError } from '../core/errors.ts'
import {
  publishedDatasets,
  readCsv,
  readDataset,
  readItemCsv,
  readItemLines,
  readJsonLines,
} from '../datasets/index.ts'
import type {
  DatasetName,
  ItemsResult,
  ReadOptions,
  ReadResult,
  TimeUnit,
} from '../datasets/index.ts'
import { describeFailure, systemCodeOf } from './file-failure.ts'
import { createStatusLine, percent } from './status-line.ts'

export interface LogOptions {
  readonly events: string
  readonly format?: LogFormat
  readonly timeUnit: TimeUnit
  readonly skipBadRows?: true
}

type LogFormat = 'csv' | 'jsonl' | DatasetName

const published = Object.keys(publishedDatasets) as DatasetName[]
const formats: readonly LogFormat[] = ['csv', 'jsonl', ...published]
const formatOfExtension: Readonly<Record<string, LogFormat>> = {
  '.csv': 'csv',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
}

export function addLogOptions(command: Command, isNeeded = true): Command {
  return command
    .addOption(
      new Option(
        '--events <file>',
        'the log, plain or gzip: user, item, time, perhaps reward',
      ).makeOptionMandatory(isNeeded),
    )
    .addOption(
      new Option(
        '--format <name>',
        'what the log looks like; by its extension if not said',
      ).choices(formats),
    )
    .addOption(
      new Option('--time-unit <unit>', 'unit of the times in CSV and JSON Lines')
        .choices(['milliseconds', 'seconds'])
        .default('milliseconds'),
    )
    .option('--skip-bad-rows', 'count rows that cannot be read instead of stopping at the first')
}

export async function readEvents(options: LogOptions): Promise<ReadResult> {
  const { events, format = formatOf(events), timeUnit, skipBadRows = false } = options
  const line = createStatusLine(process.stderr, () => performance.now())
  const onProgress = (share: number): void =>
    line.show(() => `${percent(share)}  reading ${events}`, share)
  const result = await read(events, format, { timeUnit, skipBadRows, onProgress })
    .catch((error: unknown) => {
      throw explain(error, events, format)
    })
    .finally(line.end)
  if (result.log.users.length > 0) return result
  throw new RenError('dataset-malformed', `${events}: expected interactions, found none`)
}

/** Items and their attributes, from CSV or JSON Lines by the extension. */
export async function readItems(path: string, skipBadRows = false): Promise<ItemsResult> {
  const format = formatOf(path)
  const readFile = format === 'csv' ? readItemCsv : readItemLines
  return readFile(path, { skipBadRows }).catch((error: unknown) => {
    throw explain(error, path, format)
  })
}

function read(
  path: string,
  format: LogFormat,
  options: ReadOptions & { readonly timeUnit: TimeUnit },
): Promise<ReadResult> {
  if (format === 'csv') return readCsv(path, options)
  if (format === 'jsonl') return readJsonLines(path, options)
  return readDataset(format, path, options)
}

/** A failure of the operating system in words; any other error as it is. */
function explain(error: unknown, events: string, format: LogFormat): unknown {
  const cause = error instanceof RenError ? error.cause : error
  if (systemCodeOf(cause) === undefined) return error
  const { path = events } = cause as NodeJS.ErrnoException
  const known = published.find((name) => name === format)
  const source = known
    ? `; get ${publishedDatasets[known].title} from ${publishedDatasets[known].home}`
    : ''
  const message = `${describeFailure('read', path, cause)}${source}`
  return new RenError('dataset-missing', message, { cause })
}

function formatOf(path: string): LogFormat {
  const format = formatOfExtension[extname(basename(path, '.gz'))]
  if (format !== undefined) return format
  throw new RenError(
    'invalid-argument',
    `cannot tell the format of ${path} by its name: give --format, one of ${formats.join(', ')}`,
  )
}
