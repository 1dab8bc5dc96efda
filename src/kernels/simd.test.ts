import { describe, expect, it } from 'vitest'

import { chooseKernel } from './engine.ts'
import { bestBuild, compileModule, moduleBytes, simdBuilds, thisRuntime } from './simd.ts'
import type { Accepts, SimdBuild } from './simd.ts'

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** A runtime that supports only these builds. */
const runtimeWith = (...builds: readonly SimdBuild[]): Accepts => {
  const modules = new Set(builds.map((build) => textOf(moduleBytes(build, false))))
  return (bytes) => modules.has(textOf(bytes))
}

describe('the choice of kernels', () => {
  it.each([
    { has: ['relaxed-simd', 'simd128'], takes: 'relaxed-simd' },
    { has: ['relaxed-simd'], takes: 'relaxed-simd' },
    { has: ['simd128'], takes: 'simd128' },
    { has: [], takes: 'reference' },
  ] as const)('is $takes if the runtime supports $has', ({ has, takes }) => {
    const accepts = runtimeWith(...has)
    expect(bestBuild(accepts) ?? 'reference').toBe(takes)
    expect(chooseKernel('auto', accepts)).toBe(takes)
  })

  it.each(simdBuilds)('refuses %s if the runtime does not support it', (build) => {
    expect(() => chooseKernel(build, runtimeWith())).toThrow(
      expect.objectContaining({ code: 'unsupported-platform' }),
    )
    expect(chooseKernel(build, runtimeWith(build))).toBe(build)
    expect(chooseKernel('reference', runtimeWith())).toBe('reference')
  })

  it('uses the current runtime by default', () => {
    expect(thisRuntime(Uint8Array.of(1, 2, 3))).toBe(false)
    expect(simdBuilds.every((build) => chooseKernel(build) === build)).toBe(true)
  })
})

describe.each(simdBuilds)('%s', (build) => {
  it('is compiled once, and every caller has its own bytes', async () => {
    const own = await compileModule(build, false)
    expect(await compileModule(build, false)).toBe(own)
    expect(await compileModule(build, true)).not.toBe(own)
    const bytes = moduleBytes(build, false)
    moduleBytes(build, false).fill(0)
    expect(moduleBytes(build, false)).toEqual(bytes)
  })
})
