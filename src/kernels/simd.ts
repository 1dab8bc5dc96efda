// Loads the SIMD kernels (assembly/, compiled into wasm/) and selects the best build for the runtime.

import { kernelNames } from './contract.ts'
import type { RawKernels } from './contract.ts'
import { secondPasses, type FurtherPass } from './sharing.ts'
import * as relaxed from './wasm/relaxed-simd.ts'
import * as plain from './wasm/simd128.ts'

type RawPass = (...args: number[]) => void
export type SimdBuild = 'relaxed-simd' | 'simd128'

/**
 * The exports of a compiled module. A pass that threads share takes two more arguments, the begin and
 * the end of its range; without them it computes all of it.
 */
export interface SimdExports extends RawKernels, Readonly<Record<FurtherPass, RawPass>> {
  scratchBytes(): number
  setScratch(address: number): void
}

const builds = { 'relaxed-simd': relaxed, simd128: plain } as const

/** Fastest first. */
export const simdBuilds: readonly SimdBuild[] = ['relaxed-simd', 'simd128']

/** Returns whether a runtime accepts a module. */
export type Accepts = (bytes: Uint8Array<ArrayBuffer>) => boolean
export const thisRuntime: Accepts = (bytes) =>
  typeof WebAssembly !== 'undefined' && WebAssembly.validate(bytes)

// Decoding and compiling take most of the time of starting an engine, so each happens once.
const decoded = new Map<SimdBuild, Uint8Array<ArrayBuffer>>()
const compiled = new Map<string, Promise<WebAssembly.Module>>()

/** Returns the bytes of a module, for its own memory or for memory shared between threads. */
export function moduleBytes(build: SimdBuild, shared: boolean): Uint8Array<ArrayBuffer> {
  const { base64, memoryFlagsOffset } = builds[build]
  const known = decoded.get(build) ?? Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))
  decoded.set(build, known)
  const bytes = known.slice()
  // The two modules differ in one bit, whose offset scripts/build-kernels.ts determines.
  if (shared) bytes[memoryFlagsOffset]! |= 2
  return bytes
}

/** Returns the compiled module, which any number of engines and threads can instantiate. */
export function compileModule(build: SimdBuild, shared: boolean): Promise<WebAssembly.Module> {
  const key = `${build} ${shared}`
  const module = compiled.get(key) ?? WebAssembly.compile(moduleBytes(build, shared))
  compiled.set(key, module)
  return module
}

/** Returns the fastest build that the runtime accepts, if any. */
export function bestBuild(accepts = thisRuntime): SimdBuild | undefined {
  return simdBuilds.find((build) => accepts(moduleBytes(build, false)))
}

export function instantiate(module: WebAssembly.Module, memory: WebAssembly.Memory): SimdExports {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as SimdExports
}

/** Returns the kernels as in the contract, with all passes over their whole range. */
export function wholeKernels(exports: SimdExports): RawKernels {
  const kernels = kernelNames.map((name) => {
    const [first, second] = [exports[name], secondPasses[name]]
    if (second === undefined) return [name, first] as const
    const both = (...args: number[]): void => {
      first(...args)
      exports[second](...args)
    }
    return [name, both] as const
  })
  return Object.fromEntries(kernels) as unknown as RawKernels
}
