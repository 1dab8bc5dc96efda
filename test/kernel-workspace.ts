// Lets a test write numbers into the memory of an engine, call raw kernels and read the results.

import { expect } from 'vitest'
import { createMemory } from '../src/kernels/arena.ts'
import type { RawKernels } from '../src/kernels/contract.ts'
import { createReferenceKernels } from '../src/kernels/reference/index.ts'
import { compileModule, instantiate, wholeKernels } from '../src/kernels/simd.ts'
import type { SimdBuild } from '../src/kernels/simd.ts'

/** The memory and raw kernels of an engine. */
export interface RawEngine {
  readonly kernels: RawKernels
  readonly memory: WebAssembly.Memory
  allocate(bytes: number): number
}

/** Every method returns a byte address. */
export interface Workspace {
  readonly kernels: RawKernels
  floats(values: readonly number[]): number
  integers(values: readonly number[]): number
  zeros(count: number): number
  /** Memory for an output, filled with NaN to detect kernels that read it before writing. */
  output(count: number): number
  write(address: number, values: readonly number[]): void
  read(address: number, count: number): number[]
  readIntegers(address: number, count: number): number[]
}

export function createWorkspace(engine: RawEngine): Workspace {
  const { kernels, memory } = engine
  const write = (address: number, values: readonly number[]): void =>
    new Float32Array(memory.buffer, address, values.length).set(values)
  const floats = (values: readonly number[]): number => {
    const address = engine.allocate(4 * values.length)
    write(address, values)
    return address
  }
  const filled = (count: number, value: number): number =>
    floats(Array.from({ length: count }, () => value))
  return {
    kernels,
    floats,
    integers(values) {
      const address = engine.allocate(4 * values.length)
      new Int32Array(memory.buffer, address, values.length).set(values)
      return address
    },
    zeros: (count) => filled(count, 0),
    output: (count) => filled(count, NaN),
    write,
    read: (address, count) => [...new Float32Array(memory.buffer, address, count)],
    readIntegers: (address, count) => [...new Int32Array(memory.buffer, address, count)],
  }
}

/** The reference engine with new memory. */
export function createReferenceEngine(): RawEngine {
  const memory = createMemory(false)
  return { kernels: createReferenceKernels(memory), memory, allocate: allocatorOver(memory) }
}

/** One build of the SIMD engine with new memory. */
export async function createSimdEngine(build: SimdBuild): Promise<RawEngine> {
  const memory = createMemory(false)
  const exports = instantiate(await compileModule(build, false), memory)
  const allocate = allocatorOver(memory)
  exports.setScratch(allocate(exports.scratchBytes()))
  return { kernels: wholeKernels(exports), memory, allocate }
}

/** Allocates memory sequentially, grows it if necessary and frees nothing. */
function allocatorOver(memory: WebAssembly.Memory): (bytes: number) => number {
  const pageSize = 65536
  let end = 0
  return (bytes) => {
    const address = end
    end += Math.ceil(bytes / 16) * 16
    const missing = end - memory.buffer.byteLength
    if (missing > 0) memory.grow(Math.ceil(missing / pageSize))
    return address
  }
}

/** Compares numbers with a tolerance relative to the larger of the expected value and 1. */
export function expectClose(
  actual: readonly number[],
  expected: readonly number[],
  tolerance = 1e-5,
): void {
  expect(actual).toHaveLength(expected.length)
  const misses = expected.flatMap((want, i) => {
    const got = actual[i]!
    const close = Math.abs(got - want) <= tolerance * Math.max(1, Math.abs(want))
    return close ? [] : [{ i, got, want }]
  })
  expect(misses).toEqual([])
}
