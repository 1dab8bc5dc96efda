// ren backup and ren restore: copy a store to one file, even while a service runs, and back.

import { stat } from 'node:fs/promises'
import type { Command } from 'commander'

import { invalid } from '../core/errors.ts'
import type { Position } from '../storage/index.ts'
import { count, showStatus, rounded } from './status-line.ts'
import { addStoreOption, createFolder, exists, requireStore, withStore } from './store-option.ts'
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
      await requireStore(from)
      const { restoreStore } = await import('../storage/index.ts')
      await copy(from, to, options, async (onProgress) => {
        await createFolder(to)
        await restoreStore(from, to, { replace, onProgress })
        return withStore(options, (store) => store.head())
      })
    })
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
