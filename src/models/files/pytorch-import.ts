// Converts weights under PyTorch's names into the layout of this package.

import { invalid, shapeMismatch } from '../../core/errors.ts'
import type { Matrix } from '../../core/types.ts'
import { malformed, quote } from './safetensors-header.ts'
import type { TensorFile } from './safetensors.ts'

/**
 * The weights of a GRU with PyTorch's reset-after cell, gates stacked as reset, update, candidate.
 */
export interface GruWeights {
  /** 3·hidden × inputs. */
  readonly inputWeights: Matrix
  /** 3·hidden × hidden. */
  readonly recurrentWeights: Matrix
  /** 1 × 3·hidden. */
  readonly inputBias: Matrix
  /** 1 × 3·hidden. */
  readonly recurrentBias: Matrix
}

/**
 * How the file stacks the gates of the GRU: `rzn` (reset, update, candidate; PyTorch) or update
 * first.
 */
export type GateOrder = 'rzn' | 'zrn'

/** How the file orders the gates of the GRU. Defaults to PyTorch's order, `rzn`. */
export interface GruImportOptions {
  readonly gateOrder?: GateOrder | undefined
}

/**
 * Reads a GRU of one layer from a PyTorch file. Its tensors are `prefix` followed by weight_ih_l0,
 * weight_hh_l0, bias_ih_l0 and bias_hh_l0, or without _l0 for an nn.GRUCell. For a PyTorch module's
 * field `gru`, the prefix is `gru.`. An absent bias is zero.
 */
export function gruFromPyTorch(
  file: TensorFile,
  prefix: string,
  { gateOrder = 'rzn' }: GruImportOptions = {},
): GruWeights {
  requireOneLayer(file, prefix)
  const isCell = file.tensors.has(`${prefix}weight_hh`)
  const nameOf = (name: string): string => `${prefix}${name}${isCell ? '' : '_l0'}`
  const [, hidden = 0] = requireShape(file, nameOf('weight_hh'), ['3·hidden', 'hidden'])
  const part = (name: string, ...expected: Dimension[]): Matrix =>
    inOurOrder(matrixOf(file, nameOf(name), expected), gateOrder)
  const bias = (name: string): Matrix =>
    file.tensors.has(nameOf(name))
      ? part(name, 3 * hidden)
      : { rows: 1, columns: 3 * hidden, values: new Float32Array(3 * hidden) }
  // Checked first, because the other shapes depend on its size.
  const recurrentWeights = part('weight_hh', 3 * hidden, hidden)
  return {
    inputWeights: part('weight_ih', 3 * hidden, 'inputs'),
    recurrentWeights,
    inputBias: bias('bias_ih'),
    recurrentBias: bias('bias_hh'),
  }
}

/** Reads a table of embeddings, one row per item. */
export function embeddingsFrom(file: TensorFile, name: string): Matrix {
  return matrixOf(file, name, ['items', 'dimension'])
}

/** One layer of a deeper GRU would load without an error and compute something else. */
function requireOneLayer(file: TensorFile, prefix: string): void {
  const other = ['weight_ih_l1', 'weight_ih_l0_reverse'].find((part) =>
    file.tensors.has(prefix + part),
  )
  if (other === undefined) return
  const found = quote(prefix + other)
  throw malformed(`expected a GRU of one layer and one direction, but there is ${found}`)
}

/**
 * A required size, or the name of a dimension of any size above 0. With a dimension of 0, a shape
 * could claim any size for the others without data.
 */
type Dimension = number | string

function requireShape(
  file: TensorFile,
  name: string,
  expected: readonly Dimension[],
): readonly number[] {
  const shape = file.shape(name)
  const fits = expected.every((size, i) =>
    typeof size === 'string' ? shape[i]! > 0 : shape[i] === size,
  )
  if (fits && shape.length === expected.length) return shape
  throw shapeMismatch(
    `tensor ${quote(name)} must be [${expected.join(', ')}], got [${shape.join(', ')}]`,
  )
}

/** Reads a tensor of one or two dimensions; a vector becomes a matrix of one row. */
export function matrixOf(file: TensorFile, name: string, expected: readonly Dimension[]): Matrix {
  const [columns, rows = 1] = requireShape(file, name, expected).toReversed()
  return { rows, columns: columns!, values: file.floats(name) }
}

/** Reorders the three gate blocks to r, z, n. */
function inOurOrder({ rows, columns, values }: Matrix, gateOrder: GateOrder): Matrix {
  if (gateOrder !== 'rzn' && gateOrder !== 'zrn') {
    throw invalid(`gateOrder must be rzn or zrn, got ${quote(gateOrder)}`)
  }
  const block = values.length / 3
  const reordered = new Float32Array(values.length)
  for (const [to, gate] of ['r', 'z', 'n'].entries()) {
    const from = gateOrder.indexOf(gate) * block
    reordered.set(values.subarray(from, from + block), to * block)
  }
  return { rows, columns, values: reordered }
}
