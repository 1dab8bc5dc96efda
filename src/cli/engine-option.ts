// The engine of a command.

import type { Command } from 'commander'

import { createEngine, type Engine } from '../kernels/index.ts'
import { spawnKernelWorker, usableThreads } from '../node/spawn-kernel-worker.ts'
import { integer } from './option-values.ts'

export function addThreadsOption(command: Command): Command {
  const threads = usableThreads()
  return command.option('--threads <n>', 'threads of the engine', integer(1), threads)
}

/** Runs `body` with an engine of that many threads, and closes it afterwards. */
export async function withEngine<T>(
  threads: number,
  body: (engine: Engine) => Promise<T>,
): Promise<T> {
  const engine = await createEngine({ threads, spawnWorker: spawnKernelWorker })
  try {
    return await body(engine)
  } finally {
    engine.close()
  }
}
