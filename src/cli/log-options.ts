// The options for a log and a catalog, and reading both.

import { basename, extname } from 'node:path'
import { Option, type Command } from 'commander'

import { invalid, RenError } from '../core/errors.ts'
import {
  detectItemFormat,
  detectLogFormat,
  itemFormats,
  publishedDatasets,
  readCsv,
  readDataset,
  readItemCsv,
  readItemLines,
  readJsonLines,
  readMovieLensItems,
  type DatasetName,
  type ItemFormat,
  type ItemsResult,
  type ReadOptions,
  type ReadResult,
  type TimeUnit,
} from '../datasets/index.ts'
import { describeFailure, systemCodeOf } from './files.ts'
import { showStatus } from './status-line.ts'

export interface LogOptions {
  readonly events: string
  /** The name of the log in messages. Defaults to `events`. */
  readonly name?: string
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
        'the log, plain or gzip: user, item, time, optionally reward',
      ).makeOptionMandatory(isNeeded),
    )
    .addOption(
      new Option(
        '--format <name>',
        'the format of the log; defaults to its extension, then to its first row',
      ).choices(formats),
    )
    .addOption(
      new Option('--time-unit <unit>', 'unit of the times in CSV and JSON Lines')
        .choices(['milliseconds', 'seconds'])
        .default('milliseconds'),
    )
    .option('--skip-bad-rows', 'skip and count rows that cannot be read')
}

/** Options of a command that reads items with their attributes. */
export interface CatalogOptions {
  readonly catalog?: string
  readonly catalogFormat?: ItemFormat
}

export function addCatalogOptions(command: Command): Command {
  return command
    .option(
      '--catalog <file>',
      'items with attributes, plain or gzip: CSV with a column item, JSON Lines of ' +
        '{item, attributes}, MovieLens movies.dat or u.item; imported once',
    )
    .addOption(
      new Option(
        '--catalog-format <name>',
        'the format of the catalog; defaults to that of its first row',
      ).choices(itemFormats),
    )
}

export async function readEvents(options: LogOptions): Promise<ReadResult> {
  const { events, name = events, timeUnit, skipBadRows = false } = options
  const format = options.format ?? (await formatOf(events))
  const result = await showStatus((show) => {
    const onProgress = (share: number): void => show(share, () => `reading ${name}`)
    return read(events, format, { timeUnit, skipBadRows, name, onProgress })
  }).catch((error: unknown) => {
    throw explain(error, events, format)
  })
  if (result.log.users.length > 0) return result
  throw new RenError('dataset-malformed', `${name} must contain interactions, found none`)
}

/** Reads items with their attributes. The format defaults to that of the first row. */
export async function readItems(
  path: string,
  {
    name = path,
    catalogFormat,
    skipBadRows = false,
  }: { name?: string; catalogFormat?: ItemFormat; skipBadRows?: boolean },
): Promise<ItemsResult> {
  const options = { name, skipBadRows }
  try {
    const format = catalogFormat ?? (await detectItemFormat(path))
    if (format === 'csv') return await readItemCsv(path, options)
    if (format === 'jsonl') return await readItemLines(path, options)
    return await readMovieLensItems(path, format, options)
  } catch (error) {
    throw explain(error, path)
  }
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

/** Describes a failure of the operating system, and returns other errors unchanged. */
function explain(error: unknown, events: string, format?: LogFormat): unknown {
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

/** The format by extension, then by first row. A folder needs --format. */
async function formatOf(path: string): Promise<LogFormat> {
  const format =
    formatOfExtension[extname(basename(path, '.gz'))] ??
    (await detectLogFormat(path).catch((error: unknown) => {
      throw explain(error, path)
    }))
  if (format !== null) return format
  throw invalid(
    `cannot detect the format of ${path} by its name or first row; set --format to one of ` +
      formats.join(', '),
  )
}
