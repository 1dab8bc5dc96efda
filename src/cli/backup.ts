// ren backup and ren restore: a store into one file, beside a running service too, and back.

import { stat } from 'node:fs/promises'
import type { Command } from 'commander'

import { RenError } from '../core/errors.ts'
import type { Position } from '../storage/index.ts'
import { count, whole, createStatusLine, percent, timeLeft } from './status-line.ts'
import { addStoreOption, isThere, makeRoom, requireStore, withStore } from './store-option.ts'
import type { StoreOption } from './store-option.ts'

interface CopyOptions extends StoreOption {
  readonly force?: true
  readonly json?: true
}

interface CopyReport {
  readonly from: string
  readonly to: string
  /** Of a store in use, those that were there when it began; there may be more. */
  readonly events: number
  readonly bytes: number
  readonly seconds: number
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
        await makeRoom(to)
        await restoreStore(from, to, { replace, onProgress })
        return withStore(options, (store) => store.head())
      })
    })
}

async function copy(
  from: string,
  to: string,
  { force, json }: CopyOptions,
  make: (onProgress: (share: number) => void) => Promise<Position>,
): Promise<void> {
  if (!force && (await isThere(to))) {
    throw new RenError('invalid-argument', `${to} is there already; --force replaces it`)
  }
  const clock = (): number => performance.now()
  const start = clock()
  const line = createStatusLine(process.stderr, clock)
  const events = await make((share) => {
    const words = (): string => `${percent(share)}  copied  ${timeLeft(share, clock() - start)}`
    line.show(words, share)
  }).finally(line.end)
  const { size: bytes } = await stat(to)
  const report: CopyReport = { from, to, events, bytes, seconds: (clock() - start) / 1000 }
  console.log(json ? JSON.stringify(report) : toText(report))
}

const toText = ({ from, to, events, bytes, seconds }: CopyReport): string =>
  `${to} is a copy of ${from}: ${count(events, 'event')}, ` +
  `${whole(bytes / 1e6)} MB in ${seconds.toFixed(1)} s`
