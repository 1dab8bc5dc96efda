// ren backup and ren restore: copy a store to one file, even while a service runs, and back. ren copy: copies a
// store to another location, such as PostgreSQL; after an interruption, the same command resumes.

import { stat } from 'node:fs/promises'
import type { Command } from 'commander'

import { invalid } from '../core/errors.ts'
import type { Position } from '../storage/index.ts'
import { isPostgres, requireLocation, showLocation } from '../storage/postgres/address.ts'
import { untilInterrupted } from './interrupt-signal.ts'
import { count, showStatus, rounded } from './status-line.ts'
import {
  addStoreOption,
  createFolder,
  exists,
  requireStore,
  withStore,
  withStoreOrNew,
} from './store-option.ts'
import type { StoreOption } from './store-option.ts'

interface CopyOptions extends StoreOption {
  readonly force?: true
  readonly json?: true
}

export function addBackup(program: Command): void {
  const command = program
    .command('backup')
    .description('copy a store into one file, even while a service runs')
  addStoreOption(command)
    .requiredOption('--out <file>', 'path of the copy')
    .option('--force', 'overwrite an existing file')
    .option('--json', 'print one JSON document; progress goes to standard error')
    .action(async ({ out, ...options }: CopyOptions & { readonly out: string }) => {
      await requireStore(options.store)
      await copy(options.store, out, options, (onProgress) =>
        withStore(options, async (store) => {
          const events = await store.head()
          await store.backup(out, onProgress)
          return events
        }),
      )
    })
}

export function addRestore(program: Command): void {
  const command = program
    .command('restore')
    .description('check every page and event of a backup and restore it')
  addStoreOption(command)
    .requiredOption('--from <file>', 'the backup')
    .option('--force', 'overwrite an existing store, unless it is in use')
    .option('--json', 'print one JSON document; progress goes to standard error')
    .action(async ({ from, ...options }: CopyOptions & { readonly from: string }) => {
      const { store: to, force: replace = false } = options
      refusePostgres(to)
      await requireStore(from)
      const { restoreStore } = await import('../storage/index.ts')
      await copy(from, to, options, async (onProgress) => {
        await createFolder(to)
        await restoreStore(from, to, { replace, onProgress })
        return withStore(options, (store) => store.head())
      })
    })
}

function refusePostgres(location: string): void {
  if (!isPostgres(location)) return
  const to = showLocation(location)
  throw invalid(
    `pg_restore restores a dump of PostgreSQL; a backup of a file becomes a store at ${to} with ` +
      `ren copy --from FILE --to '${to}'`,
  )
}

/** `make` returns the number of events in the copy. A store in use may have received more since. */
async function copy(
  from: string,
  to: string,
  { force, json }: CopyOptions,
  make: (onProgress: (share: number) => void) => Promise<Position>,
): Promise<void> {
  if (!force && (await exists(to))) {
    throw invalid(`${to} already exists; use --force to overwrite it`)
  }
  const start = performance.now()
  const events = await showStatus((show) => make((share) => show(share, () => 'copied')))
  const { size: bytes } = await stat(to)
  const seconds = (performance.now() - start) / 1000
  const text =
    `copied ${from} to ${to}: ${count(events, 'event')}, ` +
    `${rounded(bytes / 1e6)} MB in ${seconds.toFixed(1)} s`
  console.log(json ? JSON.stringify({ from, to, events, bytes, seconds }) : text)
}

interface CopyStoreOptions {
  readonly from: string
  readonly to: string
  readonly json?: true
}

export function addCopy(program: Command): void {
  program
    .command('copy')
    .description('copy a store to an empty one elsewhere; run it again to resume')
    .requiredOption('--from <location>', 'the store: a file, or postgres://user@host/database')
    .requiredOption('--to <location>', 'the new store; an address can have ?schema=NAME')
    .option('--json', 'print one JSON document; progress goes to standard error')
    .action(runCopy)
}

async function runCopy({ from, to, json }: CopyStoreOptions): Promise<void> {
  for (const location of [from, to]) requireLocation(location)
  if (from === to) throw invalid('--from and --to must be different stores')
  const { copyStore } = await import('../storage/copy-store.ts')
  const report = await untilInterrupted((signal) =>
    withStore({ store: from }, (source) =>
      withStoreOrNew({ store: to }, async (target) => {
        const copied = await showStatus((show) =>
          copyStore(source, target, {
            signal,
            onProgress: (share) => show(share, () => 'copied'),
          }),
        )
        return { from: source.location, to: target.location, ...copied }
      }),
    ),
  )
  const { position, head, keys, snapshots } = report
  const interrupted = position < head
  if (interrupted) process.exitCode = 130
  if (json) return console.log(JSON.stringify({ ...report, interrupted }))
  const [source, target] = [report.from, report.to]
  const what = interrupted
    ? `${rounded(position)} of ${count(head, 'event')}; run the command again to resume`
    : `${count(position, 'event')}, ${count(keys, 'key')}, ${count(snapshots, 'snapshot')}`
  console.log(`copied ${source} to ${target}: ${what}`)
}
