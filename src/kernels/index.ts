// The numeric engine: dense float32 kernels in WebAssembly SIMD, with a reference of each kernel in
// plain TypeScript. The entry point `ren-recommender/kernels`.

export type { Allocator } from './arena.ts'
export { contract, kernelNames } from './contract.ts'
export type { KernelArguments, KernelName, Operations } from './contract.ts'
export { NEVER, packedSize, slateScratch, slateWhitening } from './contract/scoring.ts'
export { createEngine } from './engine.ts'
export type { Engine, EngineOptions, KernelBuild } from './engine.ts'
export type { IndexTensor, Tensor } from './signature.ts'
export { tieHash, bonus, growWhitening, whiten, whiteningOf, WHITENING_BLOCK } from './whitening.ts'
export { withOwnMemory, createWorkspace } from './workspace.ts'
export type { OwnMemory, Workspace } from './workspace.ts'
export { serveKernels } from './threads.ts'
export type { KernelWorker, SpawnWorker, WorkerStart } from './threads.ts'
