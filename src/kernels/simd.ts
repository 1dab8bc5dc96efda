// Loads the SIMD kernels (assembly/, compiled into wasm/) and picks the best this runtime can run.

import { contract, kernelNames } from './contract.ts'
import type { KernelName, RawKernels } from './contract.ts'
import * as relaxed from './wasm/relaxed-simd.ts'
import * as plain from './wasm/simd128.ts'

export type SimdBuild = 'relaxed-simd' | 'simd128'

/** What a compiled module exports: the kernels, its appetite for scratch memory, and the peak. */
export interface SimdExports extends RawKernels {
  scratchBytes(): number
  setScratch(address: number): void
  /** 96 flops an iteration and nothing else; the benchmarks' unit. */
  peak(iterations: number, left: number, right: number): number
}

const builds = { 'relaxed-simd': relaxed, simd128: plain } as const

/** Fastest first. */
export const simdBuilds: readonly SimdBuild[] = ['relaxed-simd', 'simd128']

/** Whether a runtime accepts a module. */
export type Accepts = (bytes: Uint8Array<ArrayBuffer>) => boolean
export const thisRuntime: Accepts = (bytes) =>
  typeof WebAssembly !== 'undefined' && WebAssembly.validate(bytes)

/**
 * Kernels that threads may share, and the size that counts their rows. Their raw exports take two
 * more numbers: the first row to do and the row after the last.
 */
export const rowKernels = {
  multiply: 'm',
  dotRows: 'rows',
  rowNorms: 'rows',
  quadraticForms: 'rows',
  rankOneUpdate: 'rows',
  scoreBounds: 'rows',
  packRows: 'rows',
  packedBounds: 'rows',
} as const satisfies Partial<Record<KernelName, string>>
export type RowKernel = keyof typeof rowKernels
export const rowKernelNames = Object.keys(rowKernels) as readonly RowKernel[]

/** Where a row kernel's count of rows stands among its raw arguments. */
export function rowsPosition(kernel: RowKernel): number {
  return contract[kernel].findIndex((parameter) => parameter.name === rowKernels[kernel])
}

/** The module's bytes, for memory of its own or memory shared between threads. */
export function moduleBytes(build: SimdBuild, shared: boolean): Uint8Array<ArrayBuffer> {
  const { base64, memoryFlagsOffset } = builds[build]
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  // The two kinds of module differ in one bit, which scripts/build-kernels.ts finds by comparison.
  if (shared) bytes[memoryFlagsOffset]! |= 2
  return bytes
}

/** The fastest build that the runtime accepts, if any. */
export function bestBuild(accepts = thisRuntime): SimdBuild | undefined {
  return simdBuilds.find((build) => accepts(moduleBytes(build, false)))
}

export function instantiate(module: WebAssembly.Module, memory: WebAssembly.Memory): SimdExports {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as SimdExports
}

/** The exports as the contract has them: row kernels do all their rows. */
export function wholeRange(exports: SimdExports): RawKernels {
  const kernels = kernelNames.map((name) => [name, exports[name]] as const)
  const ranged = rowKernelNames.map((name) => {
    const position = rowsPosition(name)
    const call = (...args: number[]) => exports[name](...args, 0, args[position]!)
    return [name, call] as const
  })
  return Object.fromEntries([...kernels, ...ranged]) as unknown as RawKernels
}
