// How threads share the kernels. A kernel runs one or two passes, and each pass computes a range of rows,
// columns, sequences or heads. Every part of a range is computed by the same instructions for any split,
// so the results have the same bits on any number of threads.

import type { KernelName, contract } from './contract.ts'
import type { Size } from './signature.ts'

/** Passes besides those that have the name of their kernel. */
export const furtherPasses = ['multiplyColumns', 'gruWeightGradients', 'layerNormSums'] as const
export type FurtherPass = (typeof furtherPasses)[number]

/** Second passes, by kernel. They have the same arguments, and read what the first pass wrote. */
export const secondPasses: Readonly<Partial<Record<KernelName, FurtherPass>>> = {
  gruBackward: 'gruWeightGradients',
  layerNormBackward: 'layerNormSums',
}

export interface Pass {
  readonly name: KernelName | FurtherPass
  /** The length of the range. */
  readonly length: number
  /** The bounds of parts are multiples of this. */
  readonly unit: number
  /** The approximate time of the whole range, in multiply-adds of a matrix product. */
  readonly cost: number
}

type SizesOf<K extends KernelName> = Readonly<
  Record<Extract<(typeof contract)[K][number], Size<string, boolean>>['name'], number>
>
type Sharing = { readonly [K in KernelName]?: (sizes: SizesOf<K>) => readonly Pass[] }

// Costs per element, relative to a multiply-add of a matrix product.
const SIMPLE = 4
const EXPONENTIAL = 24
const OPTIMIZER = 16

/** Row ranges of whole register tiles: both 6 and 4 rows divide this. */
const TILES = 12
/** Columns of a cache line, a multiple of the columns of a packed panel. */
const LINE = 16

const pass = (name: Pass['name'], length: number, unit: number, perElement: number): Pass => ({
  name,
  length,
  unit,
  cost: length * perElement,
})
/** Rows of independent elements. */
const rowsOf =
  (name: KernelName, perElement: number) =>
  ({ rows, columns }: { readonly rows: number; readonly columns: number }) => [
    pass(name, rows, TILES, columns * perElement),
  ]

/** The passes of the kernels that threads share. */
export const sharing = {
  /** Splits the longer side, so that threads pack as few panels of the same operand as possible. */
  multiply: ({ m, n, k }) => [
    m >= n ? pass('multiply', m, TILES, n * k) : pass('multiplyColumns', n, LINE, m * k),
  ],
  addRow: rowsOf('addRow', SIMPLE),
  sumRows: ({ rows, columns }) => [pass('sumRows', columns, LINE, rows * SIMPLE)],
  addScaled: rowsOf('addScaled', SIMPLE),
  multiplyElements: rowsOf('multiplyElements', SIMPLE),
  relu: rowsOf('relu', SIMPLE),
  reluBackward: rowsOf('reluBackward', SIMPLE),
  gather: ({ count, columns }) => [pass('gather', count, TILES, columns * SIMPLE)],
  scatterAdd: ({ count, columns }) => [pass('scatterAdd', columns, LINE, count * SIMPLE)],
  gruForward: ({ steps, batch, hidden }) => [
    pass('gruForward', batch, 1, steps * hidden * (3 * hidden + 3 * EXPONENTIAL)),
  ],
  gruBackward: ({ steps, batch, hidden }) => [
    pass('gruBackward', batch, 1, steps * hidden * (3 * hidden + 8 * SIMPLE)),
    pass('gruWeightGradients', 3 * hidden, TILES, steps * batch * hidden),
  ],
  layerNormForward: rowsOf('layerNormForward', 2 * SIMPLE),
  layerNormBackward: ({ rows, columns }) => [
    pass('layerNormBackward', rows, TILES, columns * 4 * SIMPLE),
    pass('layerNormSums', columns, LINE, rows * 2 * SIMPLE),
  ],
  attentionForward: ({ steps, batch, heads, width }) => [
    pass('attentionForward', batch * heads, 1, steps * steps * (width / heads + EXPONENTIAL / 2)),
  ],
  attentionBackward: ({ steps, batch, heads, width }) => [
    pass('attentionBackward', batch * heads, 1, 2 * steps * steps * (width / heads)),
  ],
  dropoutMask: rowsOf('dropoutMask', SIMPLE),
  scorePairs: ({ count, width }) => [pass('scorePairs', count, TILES, width * SIMPLE)],
  scorePairsBackward: ({ count, width }) => [
    pass('scorePairsBackward', width, LINE, count * 2 * SIMPLE),
  ],
  crossEntropyRows: ({ rows, columns }) => [
    pass('crossEntropyRows', rows, 1, columns * EXPONENTIAL),
  ],
  bprMaxRows: ({ rows, columns }) => [pass('bprMaxRows', rows, 1, columns * 2 * EXPONENTIAL)],
  adam: rowsOf('adam', OPTIMIZER),
  adagrad: rowsOf('adagrad', OPTIMIZER),
  dotRows: rowsOf('dotRows', SIMPLE),
  rowNorms: rowsOf('rowNorms', SIMPLE),
  quadraticForms: ({ rows, columns }) => [pass('quadraticForms', rows, TILES, columns * columns)],
  rankOneUpdate: rowsOf('rankOneUpdate', SIMPLE),
  scoreBounds: rowsOf('scoreBounds', SIMPLE),
  packRows: rowsOf('packRows', SIMPLE),
  packedBounds: rowsOf('packedBounds', SIMPLE),
} as const satisfies Sharing

export type SharedKernel = keyof typeof sharing
export const sharedKernels = Object.keys(sharing) as readonly SharedKernel[]

/** Splits [0, length) into at most `parts` even ranges of whole units. Returns their bounds. */
export function cut({ length, unit }: Pick<Pass, 'length' | 'unit'>, parts: number): number[] {
  const units = Math.ceil(length / unit)
  const used = Math.max(1, Math.min(parts, units))
  const borders = Array.from({ length: used }, (_, i) => Math.round((i * units) / used) * unit)
  return [...borders, length]
}
