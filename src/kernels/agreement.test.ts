// Compares every SIMD kernel with the plain TypeScript reference on random shapes, including empty
// ones, single rows and widths that are not a multiple of the vector width.
//
// Bound: |simd − reference| ≤ c·n·2⁻²⁴·magnitude with c = 4, where n is the longest chain of
// additions of one output. For sums of products the magnitude is Σ|xᵢyᵢ|, computed by running the
// reference on absolute values; for others it is the largest value, at least 1.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { blocks } from '../../test/kernel-blocks.ts'
import { drawsOf, openReference, openSimd, runKernel } from '../../test/kernel-cases.ts'
import type { KernelCase, Outcome, RawEngine } from '../../test/kernel-cases.ts'
import { contract, kernelNames } from './contract.ts'
import type { KernelName } from './contract.ts'
import type { Parameter, Sizes } from './signature.ts'

const C = 4
const ULP = 2 ** -24
const LARGEST = 3.4028234663852886e38

interface Agreement {
  /** The longest chain of additions of one output; 0 for exact kernels. */
  readonly chain: (s: Sizes) => number
  readonly magnitude: 'absolute' | 'largest'
  /**
   * The rounding error of terms near the limit of float32 that cancel: a bound adds 2⁻²¹ of the size
   * of its terms, which can be 3·10³⁸ while their sum is 10³⁴.
   */
  readonly rounding?: number
  /** Upper limits of some sizes. */
  readonly sizes?: Readonly<Record<string, number>>
  readonly adjust?: (s: Record<string, number>) => void
  /** Returns whether the contract requires zero at this place of an input. */
  readonly isZero?: (name: string, row: number, column: number, s: Sizes) => boolean
}

const size = (s: Sizes, ...names: string[]): number =>
  names.reduce((product, name) => product * s[name]!, 1)
const sum = (chain: Agreement['chain']): Agreement => ({ chain, magnitude: 'absolute' })
const scaled = (chain: Agreement['chain'], more: Partial<Agreement> = {}): Agreement => ({
  chain,
  magnitude: 'largest',
  ...more,
})
const exact = (more: Partial<Agreement> = {}): Agreement => scaled(() => 0, more)

const recurrentSizes = { steps: 6, batch: 9, hidden: 21 }
const attentionSizes = { steps: 14, batch: 4, heads: 3, width: 9 }
// Each step extends the chain of the step before. The measured error is at most a third of this.
const recurrent = scaled((s) => s['steps']! * (s['hidden']! + s['batch']! + 8), {
  sizes: recurrentSizes,
})
const attention = scaled((s) => s['steps']! + s['width']! + 8, {
  sizes: attentionSizes,
  adjust: (s) => (s['width'] = s['heads']! * s['width']!),
})

const agreements: Readonly<Record<KernelName, Agreement>> = {
  multiply: sum((s) => s['k']! + 1),
  addRow: sum(() => 1),
  sumRows: sum((s) => s['rows']! + 1),
  addScaled: sum(() => 2),
  multiplyElements: sum(() => 1),
  relu: exact(),
  reluBackward: exact(),
  sumOfSquares: sum((s) => size(s, 'rows', 'columns')),
  gather: exact(),
  scatterAdd: sum((s) => s['count']! + 1),
  scatterRows: exact(),
  gruForward: recurrent,
  gruBackward: recurrent,
  layerNormForward: scaled((s) => s['columns']! + 8, { sizes: { columns: 67 } }),
  layerNormBackward: scaled((s) => s['columns']! + s['rows']! + 8),
  attentionForward: attention,
  attentionBackward: {
    ...attention,
    isZero: (name, row, column, s) => name === 'weights' && column > row % s['steps']!,
  },
  dropoutMask: exact(),
  scorePairs: sum((s) => s['width']!),
  scorePairsBackward: sum((s) => s['count']! + 1),
  crossEntropyRows: scaled((s) => s['columns']! + 8),
  bprMaxRows: scaled((s) => s['columns']! + 8),
  adam: scaled(() => 8),
  adagrad: scaled(() => 8),
  dotRows: sum((s) => s['columns']!),
  rowNorms: sum((s) => s['columns']! + 1),
  quadraticForms: sum((s) => 3 * s['columns']! + 1),
  rankOneUpdate: scaled((s) => 2 * s['columns']! + 3),
  // The sum may be much smaller than its positive and negative terms.
  scoreBounds: sum((s) => s['columns']! + 8),
  raiseBounds: sum(() => 12),
  packRows: scaled((s) => s['columns']! + 8),
  packedBounds: scaled((s) => s['columns']! + 8, { rounding: 2 ** -18 * LARGEST }),
  // With infinite bounds, the kernel scores every item; slate.test.ts has bounds that prune.
  pickSlate: exact({
    adjust(s) {
      s['count'] = Math.min(s['count']!, s['rows']!)
      s['onward'] = 0
    },
  }),
  allFinite: exact(),
}

describe.each(['relaxed-simd', 'simd128'] as const)('%s kernels', (build) => {
  it.each(kernelNames)('%s agrees with the reference', async (kernel) => {
    const [reference, simd] = [openReference(), await openSimd(build)]
    fc.assert(
      fc.property(arbitrarySizes(kernel), fc.integer(), (sizes, seed) => {
        compare(randomCase(kernel, sizes, seed), reference, simd)
      }),
      { numRuns: 60 },
    )
  })

  it.each(Object.keys(blocks) as KernelName[])(
    '%s agrees at the boundaries of blocks',
    async (kernel) => {
      expect.hasAssertions()
      const [reference, simd] = [openReference(), await openSimd(build)]
      for (const sizes of blocks[kernel]!) {
        compare(randomCase(kernel, sizes, 1), reference, simd)
      }
    },
  )

  it.each(kernelNames.filter((kernel) => !selections.has(kernel)))(
    '%s agrees on values near the limit of float32, or its result is not finite',
    async (kernel) => {
      const [reference, simd] = [openReference(), await openSimd(build)]
      fc.assert(
        fc.property(arbitraryExtremes(kernel), (extreme) => {
          compareExtremes(extreme, reference, simd)
        }),
        { numRuns: 150 },
      )
    },
  )
})

/** Kernels that only select: the largest value is undefined among NaN. */
const selections: ReadonlySet<KernelName> = new Set(['pickSlate'])

/** Sizes of lookup tables and divisors. */
const neverZero: ReadonlySet<string> = new Set([
  'tableRows',
  'rowCount',
  'itemCount',
  'items',
  'columns',
  'heads',
  'width',
])

function arbitrarySizes(kernel: KernelName, most = 37): fc.Arbitrary<Sizes> {
  const { sizes: limits = {}, adjust = () => {} } = agreements[kernel]
  const parameters: readonly Parameter[] = contract[kernel]
  const named = parameters.flatMap((parameter) => {
    if (parameter.kind === 'flag')
      return [[parameter.name, fc.integer({ min: 0, max: 1 })] as const]
    if (parameter.kind !== 'size') return []
    const least = neverZero.has(parameter.name) ? 1 : 0
    return [
      [
        parameter.name,
        fc.integer({ min: least, max: Math.min(most, limits[parameter.name] ?? most) }),
      ] as const,
    ]
  })
  return fc.record(Object.fromEntries(named)).map((drawn) => {
    const sizes: Record<string, number> = { ...drawn }
    adjust(sizes)
    return sizes
  })
}

/** Draws sizes, and scales some matrices to an extreme or puts NaN into one. */
function arbitraryExtremes(kernel: KernelName): fc.Arbitrary<KernelCase> {
  const parameters: readonly Parameter[] = contract[kernel]
  const names = parameters.filter((parameter) => 'shape' in parameter).map(({ name }) => name)
  return fc
    .record({
      sizes: arbitrarySizes(kernel, 9),
      seed: fc.integer(),
      chosen: fc.subarray(names, { minLength: 1 }),
      factor: fc.constantFrom(1e20, 1e30, 1e38, Number.NaN),
    })
    .map(({ sizes, seed, chosen, factor }) => {
      const zero = zeros(kernel, sizes)
      const isExtreme = (name: string, row: number, column: number): boolean =>
        chosen.includes(name) && (factor > 0 || (row === 0 && column === 0))
      return {
        kernel,
        sizes,
        draws: drawsOf(seed),
        transform: (value, name, row, column) => {
          const unchanged = zero(value, name, row, column)
          if (!isExtreme(name, row, column)) return unchanged
          return Math.max(-LARGEST, Math.min(LARGEST, factor * unchanged))
        },
      }
    })
}

const randomCase = (kernel: KernelName, sizes: Sizes, seed: number): KernelCase => ({
  kernel,
  sizes,
  draws: drawsOf(seed),
  transform: zeros(kernel, sizes),
})

/** Puts zeros where the contract requires them. */
function zeros(kernel: KernelName, sizes: Sizes): KernelCase['transform'] {
  const { isZero } = agreements[kernel]
  if (isZero === undefined) return (value) => value
  return (value, name, row, column) => (isZero(name, row, column, sizes) ? 0 : value)
}

function compare(kernelCase: KernelCase, reference: RawEngine, simd: RawEngine): void {
  const { kernel, sizes, transform } = kernelCase
  const expected = runKernel(kernelCase, reference)
  const { chain, magnitude } = agreements[kernel]
  const absolute: KernelCase = {
    ...kernelCase,
    transform: (...given) => Math.abs(transform(...given)),
  }
  const scale =
    magnitude === 'absolute'
      ? runKernel(absolute, reference).floats
      : expected.floats.map((values) => values.map(() => expected.largest))
  const slack = C * Math.max(chain(sizes), magnitude === 'absolute' ? 1 : 0) * ULP
  expectWithin(
    runKernel(kernelCase, simd),
    expected,
    scale.map((values) => values.map((value) => slack * value + (slack > 0 ? 1e-37 : 0))),
  )
}

/**
 * Expects either a result that is not finite, which a checked call reports, or results within a
 * hundredth of the largest value: huge terms may cancel, but an overflow must not look like a result.
 */
function compareExtremes(kernelCase: KernelCase, reference: RawEngine, simd: RawEngine): void {
  const actual = runKernel(kernelCase, simd)
  if (!actual.floats.flat().every(Number.isFinite)) return
  const expected = runKernel(kernelCase, reference)
  const { rounding = 0 } = agreements[kernelCase.kernel]
  const bounds = expected.floats.map((values) => {
    const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1)
    return values.map(() => largest / 100 + rounding)
  })
  expectWithin(actual, expected, bounds)
}

function expectWithin(
  actual: Outcome,
  expected: Outcome,
  bounds: readonly (readonly number[])[],
): void {
  expect(actual.indices, 'indices').toEqual(expected.indices)
  for (const [output, values] of expected.floats.entries()) {
    for (const [at, value] of values.entries()) {
      const [found, bound] = [actual.floats[output]![at]!, bounds[output]![at]!]
      const isWithin = Math.abs(found - value) <= bound && Number.isFinite(value)
      if (!isWithin) {
        expect.fail(`output ${output}[${at}]: ${found} against ${value}, bound ${bound}`)
      }
    }
  }
}
