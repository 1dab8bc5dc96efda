// What only Node has and the core is handed.

export { spawnKernelWorker } from './spawn-kernel-worker.ts'
