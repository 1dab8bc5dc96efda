// ren export: writes the log or the catalog of a store as JSON Lines, or its model as a file.

import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Option, type Command } from 'commander'

import { invalid, RenError } from '../core/errors.ts'
import { eventKinds } from '../core/events.ts'
import { modelFileFrom } from '../recommender/index.ts'
import { pagesOfItems } from '../service/serving/catalog-attributes.ts'
import { readWhole } from '../service/state/restore.ts'
import { itemsIn, versionIn } from '../service/state/snapshots.ts'
import type { EventStore, SnapshotInfo, LogEvent, Position, StoredEvent } from '../storage/index.ts'
import { showLocation } from '../storage/postgres/address.ts'
import { requireWritable, writeWhole, systemCodeOf } from './files.ts'
import { untilInterrupted } from './interrupt-signal.ts'
import { integer } from './option-values.ts'
import { count } from './status-line.ts'
import { withStore, addStoreOption, type StoreOption } from './store-option.ts'

/** Writes the newest weights of a variant. */
async function exportModel(options: ExportOptions, out: string): Promise<void> {
  await requireWritable(out)
  const report = await withStore(options, async (store) => {
    const variant = await variantIn(store, options.variant)
    const info = await newestWeights(store, variant)
    const { version, position, origin } = versionIn(info)
    const facts = { variant, version, position, origin }
    const file = modelFileFrom(await readWhole(store, info), { exported: JSON.stringify(facts) })
    await writeWhole(out, (part) => writeFile(part, file))
    return { store: store.location, out, ...facts, items: itemsIn(info) }
  })
  if (options.json) return console.log(JSON.stringify(report))
  const { variant, version, position, items } = report
  const trained = `trained up to position ${position}`
  console.log(
    `wrote version ${version} of ${variant} to ${out}: ${count(items, 'item')}, ${trained}`,
  )
}

/** The variant with that name; without a name, the only variant of the store. */
async function variantIn(store: EventStore, wanted: string | undefined): Promise<string> {
  const variants = await store.snapshotScopes('weights')
  const [only, ...others] = variants
  if (wanted !== undefined && variants.includes(wanted)) return wanted
  if (only === undefined) throw noModel(store)
  const known = variants.join(', ')
  if (wanted !== undefined) {
    throw new RenError('not-found', `the store has no variant ${wanted}; its variants are ${known}`)
  }
  if (others.length === 0) return only
  throw invalid(`the store has models of several variants: name one of ${known} with --variant`)
}

/** A new variant has weights without items, which are useless elsewhere. */
async function newestWeights(store: EventStore, variant: string): Promise<SnapshotInfo> {
  const snapshots = await store.snapshots('weights', variant)
  const newest = snapshots.find(({ readable }) => readable)
  if (newest === undefined || itemsIn(newest) === 0) throw noModel(store)
  return newest
}

const noModel = ({ location }: EventStore): RenError =>
  new RenError('not-found', `${location} has no trained model yet; a running service trains one`)

interface ExportOptions extends StoreOption {
  readonly after: Position
  readonly kind?: LogEvent['kind'][]
  readonly items?: true
  readonly model?: string
  readonly variant?: string
  readonly out?: string
  readonly skipDamaged?: true
  readonly json?: true
}

export function addExport(program: Command): void {
  const command = program
    .command('export')
    .description('write the log, the catalog or the model of a store, even while a service runs')
  addStoreOption(command)
    .option('--after <position>', 'only events after this position', integer(0), 0)
    .addOption(new Option('--kind <kinds...>', 'only events of these kinds').choices(eventKinds))
    .option('--items', 'write the catalog instead: {item, attributes, position}')
    .addOption(
      new Option(
        '--model <file>',
        'write the newest weights to this model file (safetensors) instead',
      ).conflicts(['after', 'kind', 'items', 'out', 'skipDamaged']),
    )
    .option('--variant <name>', 'the variant whose model to write, if the store has several')
    .option('--out <file>', 'output file; defaults to standard output')
    .option('--skip-damaged', 'skip events that cannot be read')
    .option('--json', 'print a summary as one JSON document')
    .action(runExport)
}

async function runExport(options: ExportOptions): Promise<void> {
  const { out, json, model, variant } = options
  if (model !== undefined) return exportModel(options, model)
  if (variant !== undefined) throw invalid('--variant selects a model and needs --model')
  if (out !== undefined) await requireWritable(out)
  const tally = { lines: 0, damaged: 0 }
  const interrupted = await untilInterrupted((signal) =>
    withStore(options, async (store) => {
      const text = Readable.from(linesOf(store, options, tally, signal))
      try {
        if (out === undefined) await writeToStdout(text)
        else await writeWhole(out, (part) => pipeline(text, createWriteStream(part)))
      } catch (error) {
        if (!signal.aborted) throw error
      }
      return signal.aborted
    }),
  )
  if (interrupted) {
    console.error(out === undefined ? 'interrupted' : 'interrupted; nothing was written')
    process.exitCode = 130
    return
  }
  // Standard output may contain the exported lines.
  const print = out === undefined ? console.error : console.log
  if (json)
    print(JSON.stringify({ store: showLocation(options.store), ...tally, ...(out && { out }) }))
  else if (out !== undefined) print(`wrote ${count(tally.lines, 'line')} to ${out}`)
}

/** A reader such as `head` may close the pipe early; that is not a failure. */
async function writeToStdout(text: Readable): Promise<void> {
  try {
    await pipeline(text, process.stdout, { end: false })
  } catch (error) {
    if (systemCodeOf(error) !== 'EPIPE') throw error
  }
}

/** The lines of one batch at a time. */
async function* linesOf(
  store: EventStore,
  options: ExportOptions,
  tally: { lines: number; damaged: number },
  signal: AbortSignal,
): AsyncGenerator<string> {
  const batches = options.items ? pagesOfItems(store) : eventsOf(store, options, tally)
  for await (const batch of batches) {
    signal.throwIfAborted()
    tally.lines += batch.length
    if (batch.length > 0) yield batch.map((entry) => `${JSON.stringify(entry)}\n`).join('')
  }
}

async function* eventsOf(
  store: EventStore,
  { after, kind, skipDamaged }: ExportOptions,
  tally: { damaged: number },
): AsyncGenerator<readonly StoredEvent[]> {
  const onDamaged = (position: Position, reason: string): void => {
    tally.damaged += 1
    console.error(`skipped the event at position ${position}: ${reason}`)
  }
  for await (const events of store.read(after, skipDamaged ? { onDamaged } : {})) {
    yield kind ? events.filter(({ event }) => kind.includes(event.kind)) : events
  }
}
