// Two engines, one truth: every SIMD kernel agrees with the plain-TypeScript reference on random
// shapes, empty ones, single rows and widths that no vector divides among them.
//
// Bound: |simd − reference| ≤ c·n·2⁻²⁴·magnitude with c = 4, where n is the longest chain of
// additions behind one output. For sums of products the magnitude is Σ|xᵢyᵢ|, found by running the
// reference on absolute values; for the others it is the largest value that occurs, at least 1.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import type { Random } from '../core/random.ts'
import { createArena, createMemory } from './arena.ts'
import type { Arena } from './arena.ts'
import { contract, kernelNames } from './contract.ts'
import type { KernelName, RawKernels } from './contract.ts'
import { createReferenceKernels } from './reference/index.ts'
import type { Parameter, Sizes } from './signature.ts'
import { instantiate, moduleBytes, wholeRange } from './simd.ts'
import type { SimdBuild } from './simd.ts'

const C = 4
const ULP = 2 ** -24

interface Agreement {
  /** The longest chain of additions behind one output; exact kernels have none. */
  readonly chain: (s: Sizes) => number
  readonly magnitude: 'absolute' | 'largest'
  /** Upper ends of sizes that cannot be just anything. */
  readonly sizes?: Readonly<Record<string, number>>
  readonly adjust?: (s: Record<string, number>) => void
  /** Where the contract says that an input is zero. */
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
const convolutionSizes = { steps: 12, batch: 5, taps: 3, dilation: 5, inWidth: 13, outWidth: 19 }
const attentionSizes = { steps: 14, batch: 4, heads: 3, width: 9 }
const recurrent = scaled((s) => 3 * size(s, 'hidden') * (1 + s['steps']! * s['batch']!), {
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
  convolutionForward: {
    ...sum((s) => size(s, 'taps', 'inWidth') + 1),
    sizes: convolutionSizes,
  },
  convolutionBackward: {
    ...sum((s) => Math.max(size(s, 'taps', 'outWidth'), size(s, 'steps', 'batch')) + 1),
    sizes: convolutionSizes,
  },
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
  softmaxCrossEntropy: scaled((s) => s['items']! + s['rows']! + s['width']! + 8),
  bprMaxRows: scaled((s) => s['columns']! + 8),
  adam: scaled(() => 8),
  adagrad: scaled(() => 8),
  dotRows: sum((s) => s['columns']!),
  rowNorms: sum((s) => s['columns']! + 1),
  quadraticForms: sum((s) => 3 * s['columns']! + 1),
  rankOneUpdate: scaled((s) => 2 * s['columns']! + 3),
  scoreBounds: scaled((s) => s['columns']! + 8),
  // With a bound that says nothing, every item is looked at; slate.test.ts has bounds that prune.
  pickSlate: exact({ adjust: (s) => (s['count'] = Math.min(s['count']!, s['rows']!)) }),
  topN: exact({ adjust: (s) => (s['n'] = Math.min(s['n']!, s['count']!)) }),
  allFinite: exact(),
}

describe.each(['relaxed-simd', 'simd128'] as const)('%s kernels', (build) => {
  it.each(kernelNames)('%s agrees with the reference', async (kernel) => {
    const [reference, simd] = [openReference(), await openSimd(build)]
    fc.assert(
      fc.property(arbitrarySizes(kernel), fc.integer(), (sizes, seed) => {
        compare(kernel, sizes, seed, reference, simd)
      }),
      { numRuns: 60 },
    )
  })
})

interface Raw {
  readonly arena: Arena
  readonly kernels: RawKernels
}

function openReference(): Raw {
  const arena = createArena(createMemory(false))
  return { arena, kernels: createReferenceKernels(arena.memory) }
}

async function openSimd(build: SimdBuild): Promise<Raw> {
  const arena = createArena(createMemory(false))
  const exports = instantiate(await WebAssembly.compile(moduleBytes(build, false)), arena.memory)
  exports.setScratch(arena.reserve('scratch', exports.scratchBytes()))
  return { arena, kernels: wholeRange(exports) }
}

/** Rows that are looked up, and counts that divide. */
const neverZero: ReadonlySet<string> = new Set([
  'tableRows',
  'rowCount',
  'itemCount',
  'items',
  'columns',
  'heads',
  'width',
  'taps',
  'dilation',
  'chunk',
])

function arbitrarySizes(kernel: KernelName): fc.Arbitrary<Sizes> {
  const { sizes: limits = {}, adjust = () => {} } = agreements[kernel]
  const parameters: readonly Parameter[] = contract[kernel]
  const named = parameters.flatMap((parameter) => {
    if (parameter.kind === 'flag')
      return [[parameter.name, fc.integer({ min: 0, max: 1 })] as const]
    if (parameter.kind !== 'size') return []
    const least = neverZero.has(parameter.name) ? 1 : 0
    return [
      [parameter.name, fc.integer({ min: least, max: limits[parameter.name] ?? 37 })] as const,
    ]
  })
  return fc.record(Object.fromEntries(named)).map((drawn) => {
    const sizes: Record<string, number> = { ...drawn }
    adjust(sizes)
    return sizes
  })
}

function compare(kernel: KernelName, sizes: Sizes, seed: number, reference: Raw, simd: Raw): void {
  const expected = runOnce(kernel, sizes, seed, reference, (x) => x)
  const actual = runOnce(kernel, sizes, seed, simd, (x) => x)
  const { chain, magnitude } = agreements[kernel]
  const scale =
    magnitude === 'absolute'
      ? runOnce(kernel, sizes, seed, reference, Math.abs).floats
      : expected.floats.map((values) => values.map(() => expected.largest))
  expect(actual.indices, 'indices').toEqual(expected.indices)
  const slack = C * Math.max(chain(sizes), magnitude === 'absolute' ? 1 : 0) * ULP
  for (const [output, values] of expected.floats.entries()) {
    for (const [at, value] of values.entries()) {
      const difference = Math.abs(actual.floats[output]![at]! - value)
      const bound = slack * scale[output]![at]! + (slack > 0 ? 1e-37 : 0)
      if (!(difference <= bound)) {
        expect.fail(
          `output ${output}[${at}]: ${actual.floats[output]![at]} against ${value}, bound ${bound}`,
        )
      }
    }
  }
}

interface Outcome {
  /** The float outputs in the contract's order, then what the kernel returned, if anything. */
  readonly floats: readonly (readonly number[])[]
  readonly indices: readonly (readonly number[])[]
  readonly largest: number
}

/** Lays the same random arguments out in an engine's memory, runs the kernel, reads all outputs. */
function runOnce(
  kernel: KernelName,
  sizes: Sizes,
  seed: number,
  { arena, kernels }: Raw,
  transform: (x: number) => number,
): Outcome {
  const random = createRandom(seed)
  const zero = agreements[kernel].isZero ?? (() => false)
  return arena.scope((temporary) => {
    const outputs: { kind: 'floats' | 'indices'; read: () => readonly number[] }[] = []
    let largest = 1
    const lay = (parameter: Parameter): number => {
      if (parameter.kind === 'size' || parameter.kind === 'flag') return sizes[parameter.name]!
      if (parameter.kind === 'scalar') return scalarFor(parameter.name, random)
      if ('bound' in parameter) {
        const length = parameter.length(sizes)
        const list = temporary.indices(parameter.name, Math.max(1, length))
        const bound = parameter.bound(sizes)
        for (let i = 0; i < length; i++)
          list.values[i] = bound > 0 ? random.integer(Math.min(bound, 2 ** 31)) : 0
        if (parameter.kind === 'indices-output') {
          outputs.push({ kind: 'indices', read: () => [...list.values.subarray(0, length)] })
        }
        return list.address
      }
      const [rows, columns] = parameter.shape(sizes)
      const tensor = temporary.matrix(parameter.name, 1, Math.max(1, rows * columns))
      const fill =
        parameter.kind === 'output' ? () => Number.NaN : valueFor(kernel, parameter.name, random)
      for (let i = 0; i < rows * columns; i++) {
        const isZero = zero(parameter.name, Math.floor(i / columns), i % columns, sizes)
        const value = isZero ? 0 : transform(fill())
        tensor.values[i] = value
        if (Math.abs(value) > largest) largest = Math.abs(value)
      }
      if (parameter.kind !== 'input' && parameter.kind !== 'scratch') {
        outputs.push({ kind: 'floats', read: () => [...tensor.values.subarray(0, rows * columns)] })
      }
      return tensor.address
    }
    const parameters: readonly Parameter[] = contract[kernel]
    const result = kernels[kernel](...parameters.map(lay))
    const of = (kind: string) => outputs.filter((o) => o.kind === kind).map((o) => o.read())
    const floats = [...of('floats'), ...(result === undefined ? [] : [[result]])]
    largest = floats.flat().reduce((most, value) => Math.max(most, Math.abs(value)), largest)
    return { floats, indices: of('indices'), largest }
  })
}

function scalarFor(name: string, random: Random): number {
  if (name === 'seed' || name === 'tieSeed') return random.integer(2 ** 32)
  const values: Readonly<Record<string, number>> = {
    scale: 0.37,
    epsilon: 1e-3,
    rate: 0.05,
    beta1: 0.9,
    beta2: 0.99,
    correction1: 0.3,
    correction2: 0.05,
    momentum: 0.8,
    alpha: 0.7,
    regularisation: 0.9,
    diversityWeight: 0.8,
    uncertaintyWeight: 0.3,
    slack: 1e-9,
  }
  return values[name]!
}

/** Second moments, accumulators and forms are sums of squares; the rest may have any sign. */
function valueFor(kernel: KernelName, name: string, random: Random): () => number {
  const normal = (): number => random.normal()
  if (['secondMoment', 'accumulator', 'forms', 'statistics'].includes(name)) {
    return () => Math.abs(normal())
  }
  if (kernel === 'pickSlate' && name === 'bounds') return () => 3e38
  // Few distinct scores, so that ties are common.
  if (kernel === 'topN') return () => random.integer(9) - 4
  return normal
}
