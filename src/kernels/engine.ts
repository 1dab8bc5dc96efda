// An engine: one arena of memory, one implementation of the kernels, and the calls over both.

import { RenError } from '../core/errors.ts'
import { createArena, createMemory } from './arena.ts'
import type { Allocator, Arena } from './arena.ts'
import type { Operations, RawKernels } from './contract.ts'
import { createOperations } from './operations.ts'
import { createReferenceKernels } from './reference/index.ts'
import { bestBuild, instantiate, moduleBytes, wholeRange } from './simd.ts'
import type { SimdBuild, SimdExports } from './simd.ts'
import { CONTROL_BYTES, createThreadPool } from './threads.ts'
import type { SpawnWorker, ThreadPool } from './threads.ts'

export type KernelBuild = SimdBuild | 'reference'

export interface EngineOptions {
  /** Which kernels to run; `auto` takes the fastest that this runtime accepts. */
  readonly kernel?: 'auto' | KernelBuild
  /** How many threads share the row kernels; more than one needs `spawnWorker`. */
  readonly threads?: number
  readonly spawnWorker?: SpawnWorker
}

export interface Engine extends Allocator {
  readonly name: KernelBuild
  readonly threads: number
  /** The kernels; shapes, row numbers and values are checked. */
  readonly operations: Operations
  /** The kernels without the check of values, for callers that check their results. */
  readonly trusted: Operations
  /** Runs `body` with an allocator whose tensors are freed when it returns or throws. */
  scope<T>(body: (temporary: Allocator) => T): T
  /** Stops the engine's threads. */
  close(): void
}

export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  const name = chooseKernel(options.kernel ?? 'auto')
  const threads = options.threads ?? 1
  const arena = createArena(createMemory(threads > 1))
  const { kernels, close } = await createKernels(name, arena, threads, options.spawnWorker)
  return {
    name,
    threads,
    operations: createOperations(arena, kernels, 'checked'),
    trusted: createOperations(arena, kernels, 'trusted'),
    matrix: arena.matrix,
    vector: arena.vector,
    indices: arena.indices,
    part: arena.part,
    free: arena.free,
    scope: arena.scope,
    close,
  }
}

function chooseKernel(wanted: 'auto' | KernelBuild): KernelBuild {
  if (wanted === 'auto') return bestBuild() ?? 'reference'
  if (wanted === 'reference' || WebAssembly.validate(moduleBytes(wanted, false))) return wanted
  throw new RenError('unsupported-platform', `this runtime cannot run the ${wanted} kernels`)
}

interface RunningKernels {
  readonly kernels: RawKernels
  close(): void
}

async function createKernels(
  name: KernelBuild,
  arena: Arena,
  threads: number,
  spawnWorker: SpawnWorker | undefined,
): Promise<RunningKernels> {
  if (!Number.isSafeInteger(threads) || threads < 1) {
    throw new RenError('invalid-argument', `threads must be a positive integer, got ${threads}`)
  }
  if (name === 'reference') {
    if (threads > 1) {
      throw new RenError('invalid-argument', 'threads: the reference kernels run on one thread')
    }
    return { kernels: createReferenceKernels(arena.memory), close: () => {} }
  }
  const module = await WebAssembly.compile(moduleBytes(name, threads > 1))
  const own = instantiate(module, arena.memory)
  own.setScratch(arena.reserve('scratch', own.scratchBytes()))
  if (threads === 1) return { kernels: wholeRange(own), close: () => {} }
  const pool = await startThreads(module, arena, own, threads - 1, spawnWorker)
  return { kernels: { ...wholeRange(own), ...pool.kernels }, close: pool.close }
}

async function startThreads(
  module: WebAssembly.Module,
  arena: Arena,
  own: SimdExports,
  count: number,
  spawnWorker: SpawnWorker | undefined,
): Promise<ThreadPool> {
  if (spawnWorker === undefined) {
    throw new RenError('invalid-argument', 'threads: more than one thread needs spawnWorker')
  }
  const controls = Array.from({ length: count }, () =>
    arena.reserve('control block', CONTROL_BYTES),
  )
  const workers = await Promise.all(
    controls.map((control) => {
      const scratch = arena.reserve('scratch', own.scratchBytes())
      return spawnWorker({ module, memory: arena.memory, scratch, control })
    }),
  )
  return createThreadPool(arena.memory, own, controls, workers)
}
