// Functions that require Node: the entry point `ren-recommender/node`.

export { spawnKernelWorker } from './spawn-kernel-worker.ts'
