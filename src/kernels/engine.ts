// An engine: one arena of memory, one implementation of the kernels, and the calls over both.

import { describeValue } from '../core/describe-value.ts'
import { RenError, invalid } from '../core/errors.ts'
import { createArena, createMemory } from './arena.ts'
import type { Allocator, Arena } from './arena.ts'
import type { Operations, RawKernels } from './contract.ts'
import { createOperations } from './operations.ts'
import { createReferenceKernels } from './reference/index.ts'
import { bestBuild, compileModule, instantiate, wholeKernels } from './simd.ts'
import { moduleBytes, simdBuilds, thisRuntime } from './simd.ts'
import type { SimdBuild } from './simd.ts'
import { startThreads } from './threads.ts'
import type { PoolOptions, SpawnWorker } from './threads.ts'

/**
 * A build of the kernels: WebAssembly SIMD, with or without relaxed instructions, or plain
 * TypeScript.
 */
export type KernelBuild = SimdBuild | 'reference'

/** Settings of {@link createEngine}. */
export interface EngineOptions {
  /** The build of the kernels. Defaults to `auto`, the fastest one that this runtime supports. */
  readonly kernel?: 'auto' | KernelBuild
  /**
   * Threads that share the kernels, at most 64. Results have the same bits on any number of threads.
   * Defaults to 1. More than one requires `spawnWorker`.
   */
  readonly threads?: number
  /**
   * Starts a thread, such as `spawnKernelWorker` in Node. Defaults to none, which allows one
   * thread.
   */
  readonly spawnWorker?: SpawnWorker
  /**
   * Returns how many of the threads to use; called before each kernel. Defaults to all threads.
   */
  readonly activeThreads?: () => number
}

const MAX_THREADS = 64

/**
 * Runs the numeric kernels and owns the memory of their tensors. Models and policies share one
 * engine.
 */
export interface Engine extends Allocator {
  /** The build of the kernels that runs. */
  readonly name: KernelBuild
  /** The number of threads that share the kernels. */
  readonly threads: number
  /** The kernels with checks of shapes, row numbers and values. */
  readonly operations: Operations
  /** The kernels without checks of values, for callers that check their results. */
  readonly trusted: Operations
  /** Runs `body` with an allocator whose tensors are freed when it returns or throws. */
  scope<T>(body: (temporary: Allocator) => T): T
  /** Stops the threads and frees all tensors. The engine cannot be used afterwards. */
  close(): void
}

/**
 * Creates an engine. By default it runs the fastest kernels of this runtime on one thread.
 *
 * @example
 * ```ts
 * import { createEngine } from 'ren-recommender/kernels'
 * import { spawnKernelWorker } from 'ren-recommender/node'
 *
 * const engine = await createEngine()
 * const parallel = await createEngine({ threads: 4, spawnWorker: spawnKernelWorker })
 * parallel.close() // stops the threads
 * ```
 */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  if (typeof options !== 'object' || options === null) {
    throw invalid(`createEngine: options must be an object, got ${describeValue(options)}`)
  }
  const name = chooseKernel(options.kernel)
  const threads = options.threads ?? 1
  requireThreads(name, threads)
  const arena = createArena(createMemory(threads > 1))
  const { spawnWorker, activeThreads = () => threads } = options
  const pool = { spawnWorker, activeThreads }
  const { kernels, close } = await createKernels(name, arena, threads, pool)
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
    close() {
      arena.close()
      close()
    },
  }
}

/** Returns the build to run on a runtime that accepts certain modules. */
export function chooseKernel(requested: string = 'auto', accepts = thisRuntime): KernelBuild {
  if (requested === 'auto') return bestBuild(accepts) ?? 'reference'
  if (requested === 'reference') return requested
  const build = simdBuilds.find((name) => name === requested)
  if (build === undefined) {
    const names = ['auto', ...simdBuilds, 'reference'].join(', ')
    throw invalid(`kernel must be one of ${names}, got ${requested}`)
  }
  if (accepts(moduleBytes(build, false))) return build
  throw new RenError('unsupported-platform', `this runtime cannot run the ${build} kernels`)
}

function requireThreads(name: KernelBuild, threads: number): void {
  if (!Number.isSafeInteger(threads) || threads < 1 || threads > MAX_THREADS) {
    throw invalid(
      `threads must be an integer from 1 to ${MAX_THREADS}, got ${describeValue(threads)}`,
    )
  }
  if (name === 'reference' && threads > 1) {
    throw invalid(`threads must be 1 for the reference kernels, got ${threads}`)
  }
}

async function createKernels(
  name: KernelBuild,
  arena: Arena,
  threads: number,
  options: PoolOptions,
): Promise<{ readonly kernels: RawKernels; close(): void }> {
  if (name === 'reference') {
    return { kernels: createReferenceKernels(arena.memory), close: () => {} }
  }
  const module = await compileModule(name, threads > 1)
  const own = instantiate(module, arena.memory)
  own.setScratch(arena.reserve('scratch', own.scratchBytes()))
  if (threads === 1) return { kernels: wholeKernels(own), close: () => {} }
  const pool = await startThreads(module, arena, own, threads - 1, options)
  return { kernels: { ...wholeKernels(own), ...pool.kernels }, close: pool.close }
}
