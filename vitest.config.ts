import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const everyChange = {
  include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
  exclude: ['test/long/**'],
}
const long = { include: ['test/long/**/*.test.ts'], testTimeout: 3_600_000 }

// Files share a worker (`isolate: false`): nothing here keeps state between files, and starting a
// worker for each costs more than most of them run. All cores work: Vitest would leave one idle, and much
// of what is tested waits for a process or a disk.
export default defineConfig(({ mode }) => ({
  test: {
    isolate: false,
    maxWorkers: availableParallelism(),
    testTimeout: 20_000,
    ...(mode === 'long' ? long : everyChange),
  },
}))
