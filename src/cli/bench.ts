// ren bench: the benchmarks of a checkout. They are not in the published package, whose own measure
// is `ren check`.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

import type { Command } from 'commander'

import { RenError } from '../core/errors.ts'

const script = join(import.meta.dirname, '..', '..', 'bench', 'main.ts')

export function addBench(program: Command): void {
  program
    .command('bench')
    .description('run a benchmark of the checkout')
    .argument('<name>', 'kernels, slate, training, simulation, service or page')
    .option('--json', 'print one JSON document')
    .action(bench)
}

async function bench(name: string, { json }: { readonly json?: true }): Promise<void> {
  if (!existsSync(script)) {
    throw new RenError(
      'unsupported-platform',
      'the benchmarks are in the checkout, not in the package; ren check measures the kernels here',
    )
  }
  const args = [script, name, ...(json ? ['--json'] : [])]
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  process.exitCode = signal === 'SIGINT' ? 130 : (code ?? 1)
}
