// Tests sizes of zero for every kernel and each of its sizes, with shapes from the contract.

import { describe, expect, it } from 'vitest'
import {
  createReferenceEngine,
  createSimdEngine,
  createWorkspace,
} from '../../test/kernel-workspace.ts'
import { contract, kernelNames } from './contract.ts'
import type { KernelName } from './contract.ts'
import type { Parameter, Sizes } from './signature.ts'

const parametersOf = (name: KernelName): readonly Parameter[] => contract[name]

/** Divisors, which are never zero. */
const divisors: ReadonlySet<string> = new Set(['heads', 'chunk'])

/**
 * One size is 0 and all others are 2, if the contract allows it: no index is below a bound of 0.
 */
const cases = kernelNames.flatMap((name) => {
  const sizes = parametersOf(name).filter(({ kind }) => kind === 'size' || kind === 'flag')
  return parametersOf(name).flatMap((zero) => {
    if (zero.kind !== 'size' || divisors.has(zero.name)) return []
    const given: Sizes = Object.fromEntries(
      sizes.map((p) => [p.name, p === zero || p.kind === 'flag' ? 0 : 2]),
    )
    const allowed = parametersOf(name).every(
      (p) => !('bound' in p) || p.bound(given) > 0 || p.length(given) === 0,
    )
    return allowed ? [{ name, zero: zero.name, given }] : []
  })
})

/** The return values of kernels on empty inputs. */
const answers: Partial<Record<KernelName, number>> = { pickSlate: 0, allFinite: 1, sumOfSquares: 0 }

const engines = {
  reference: () => Promise.resolve(createReferenceEngine()),
  'relaxed-simd': () => createSimdEngine('relaxed-simd'),
  simd128: () => createSimdEngine('simd128'),
}

describe.each(Object.entries(engines))('on %s a size of zero', (_, open) => {
  it.each(cases)('leaves $name finite if $zero is 0', async ({ name, given }) => {
    const w = createWorkspace(await open())
    const blocks: { readonly address: number; readonly count: number; readonly fixed: boolean }[] =
      []
    const args = parametersOf(name).map((p) => {
      if (p.kind === 'size' || p.kind === 'flag') return given[p.name]!
      if (p.kind === 'scalar') return 0.5
      if ('bound' in p) return w.integers(Array.from({ length: p.length(given) }, () => 0))
      const [rows, columns] = p.shape(given)
      const address = w.floats(Array.from({ length: rows * columns }, () => 0.5))
      blocks.push({ address, count: rows * columns, fixed: p.kind === 'input' })
      return address
    })
    w.kernels[name](...args)
    for (const { address, count, fixed } of blocks) {
      const after = w.read(address, count)
      expect(after.every((value) => (fixed ? value === 0.5 : Number.isFinite(value)))).toBe(true)
    }
  })

  it('makes every kernel do nothing if all sizes are 0', async () => {
    const w = createWorkspace(await open())
    const address = w.floats([1, 2, 3, 4])
    for (const name of kernelNames) {
      const args = parametersOf(name).map((p) => {
        if (p.kind === 'scalar') return 0.5
        if (p.kind === 'size') return divisors.has(p.name) ? 1 : 0
        return p.kind === 'flag' ? 0 : address
      })
      expect(w.kernels[name](...args)).toBe(answers[name])
    }
    expect(w.read(address, 4)).toEqual([1, 2, 3, 4])
  })
})
