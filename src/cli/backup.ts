// ren backup: a copy of a store that is consistent while a service writes to it.

import type { Command } from 'commander'

import { copyStore, describeCopy, refuseToReplace } from './store-copy.ts'
import { addStoreOption, withStore } from './store-option.ts'
import type { StoreOption } from './store-option.ts'

interface BackupOptions extends StoreOption {
  readonly out: string
  readonly force?: true
  readonly json?: true
}

export function addBackup(program: Command): void {
  const command = program
    .command('backup')
    .description('copy a store, of a running service too, into one file')
  addStoreOption(command)
    .requiredOption('--out <file>', 'where the copy goes')
    .option('--force', 'replace a file that is there')
    .option('--json', 'print one JSON document; progress goes to standard error')
    .action(runBackup)
}

async function runBackup(options: BackupOptions): Promise<void> {
  const { out, force, json } = options
  await refuseToReplace(out, force)
  const copy = await withStore(options, (store) => copyStore(store, out))
  console.log(json ? JSON.stringify(copy) : describeCopy(copy))
}
