import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { blocks } from '../../test/kernel-blocks.ts'
import { drawsOf, openSimd, openSplit, runKernel } from '../../test/kernel-cases.ts'
import type { KernelCase } from '../../test/kernel-cases.ts'
import { contract } from './contract.ts'
import type { Parameter, Sizes } from './signature.ts'
import { cut, sharedKernels } from './sharing.ts'
import type { SharedKernel } from './sharing.ts'
import { simdBuilds } from './simd.ts'

describe('cutting a range', () => {
  it('covers it once, in order, with at most one part per thread and whole units', () => {
    const [lengths, units, threads] = [fc.nat(5000), fc.constantFrom(1, 12, 16), fc.nat(8)]
    fc.assert(
      fc.property(lengths, units, threads, (length, unit, others) => {
        const bounds = cut({ length, unit }, others + 1)
        expect(bounds[0]).toBe(0)
        expect(bounds.at(-1)).toBe(length)
        expect(bounds.length - 1).toBeLessThanOrEqual(others + 1)
        for (let i = 1; i < bounds.length; i++) {
          if (length > 0) expect(bounds[i]).toBeGreaterThan(bounds[i - 1]!)
          if (i < bounds.length - 1) expect(bounds[i]! % unit).toBe(0)
        }
      }),
    )
  })
})

/** Sizes of a kernel, from 1; heads divide the width. */
function sizesOf(kernel: SharedKernel): fc.Arbitrary<Sizes> {
  const parameters: readonly Parameter[] = contract[kernel]
  const named = parameters.flatMap(({ kind, name }) => {
    if (kind === 'flag') return [[name, fc.nat(1)] as const]
    return kind === 'size' ? [[name, fc.integer({ min: 1, max: 53 })] as const] : []
  })
  return fc.record(Object.fromEntries(named)).map((sizes) => {
    const { heads, width } = sizes
    if (heads === undefined) return sizes
    return { ...sizes, heads: 1 + (heads % 3), width: (1 + (heads % 3)) * (1 + (width! % 9)) }
  })
}

const caseOf = (kernel: SharedKernel, sizes: Sizes, seed: number): KernelCase => ({
  kernel,
  sizes,
  draws: drawsOf(seed),
  transform: (value) => value,
})

describe.each(simdBuilds)('the passes of %s', (build) => {
  it.each(sharedKernels)('give %s the same bits for any split of their ranges', async (kernel) => {
    const whole = await openSimd(build)
    const parts = fc.integer({ min: 2, max: 7 })
    const equal = async (sizes: Sizes, count: number, seed: number): Promise<void> => {
      const given = caseOf(kernel, sizes, seed)
      const split = await openSplit(build, count)
      const { floats, indices } = runKernel(given, whole)
      const found = runKernel(given, split)
      expect(found.indices).toEqual(indices)
      expect(found.floats).toEqual(floats)
    }
    await fc.assert(fc.asyncProperty(sizesOf(kernel), parts, fc.nat(), equal), { numRuns: 40 })
    for (const sizes of blocks[kernel] ?? []) await equal(sizes, 3, 1)
  })
})
