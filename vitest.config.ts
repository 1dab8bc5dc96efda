import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const everyChange = {
  include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'paper/**/*.test.ts'],
  exclude: ['test/long/**'],
}
const long = { include: ['test/long/**/*.test.ts'], testTimeout: 3_600_000 }

/**
 * The largest files start first, and before them those of `test/`: some are short and run long. The last file would
 * otherwise be a long one, while the other workers idle. Browser tests are not among the first, because the
 * gate compiles and lints at its start.
 */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const orders = new Map(files.map((file) => [file, orderOf(file.moduleId)]))
    return files.toSorted((a, b) => orders.get(b)! - orders.get(a)!)
  }
}

function orderOf(path: string): number {
  const isFirst = /^test\/(?!e2e\/)/.test(relative(import.meta.dirname, path))
  return (isFirst ? 1e9 : 0) + statSync(path).size
}

// Processes and threads that the tests start load the TypeScript of the checkout: with a cache of the
// compiled modules, which Node checks against their source, that takes 0.6 s of CPU instead of 1.3.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'dist', 'compile-cache')

// Files share a worker (`isolate: false`): nothing here keeps state between files, and starting a
// worker for each costs more than most of them run. Two workers more than there are cores: much of what is
// tested waits for a process, a browser or a disk, and with two workers on two cores a fifth of the time was idle.
export default defineConfig(({ mode }) => ({
  test: {
    isolate: false,
    sequence: { sequencer: LongFirst },
    // One thread per worker for V8's background work: more compete with the other workers for the cores, and
    // cost a tenth of the CPU time of tests that start threads.
    execArgv: ['--v8-pool-size=1'],
    maxWorkers: availableParallelism() + 2,
    // For hangs only: with four workers a test may take several times as long as alone.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A browser on a busy machine may take longer than the usual second.
    expect: { poll: { timeout: 5000 } },
    ...(mode === 'long' ? long : everyChange),
  },
}))
