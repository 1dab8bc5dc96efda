// A trainable tensor with its gradient, and the ways to start one.

import type { Random } from '../core/random.ts'
import type { Allocator, Tensor } from '../kernels/index.ts'

export interface Parameter {
  /** Unique within its model; also its name in a file. */
  readonly name: string
  readonly value: Tensor
  readonly gradient: Tensor
}

/** Draws one starting value. */
export type Start = () => number

export const zeros: Start = () => 0
export const ones: Start = () => 1
export const normal =
  (random: Random, deviation: number): Start =>
  () =>
    deviation * random.normal()
export const uniform =
  (random: Random, bound: number): Start =>
  () =>
    bound * (2 * random.uniform() - 1)
/** Glorot and Bengio's bound for a matrix of this shape: √(6/(inputs + outputs)). */
export const glorot = (random: Random, inputs: number, outputs: number): Start =>
  uniform(random, Math.sqrt(6 / (inputs + outputs)))

/** Zero where no start is given. */
export function createParameter(
  allocator: Allocator,
  name: string,
  [rows, columns]: readonly [number, number],
  start?: Start,
): Parameter {
  const value = allocator.matrix(name, rows, columns)
  if (start) for (let i = 0; i < rows * columns; i++) value.values[i] = start()
  return { name, value, gradient: allocator.matrix(`gradient of ${name}`, rows, columns) }
}

// A checkpoint of tensors that are about to change: of whole tensors, or of some of their rows.

/** A saved state that can be restored. */
export interface Restorable {
  restore(): void
}

/** Saves tensors before they change; only the first note of a tensor or of a row counts. */
export interface TensorCheckpoint extends Restorable {
  note(tensor: Tensor): void
  /** `gathered` holds these rows of the tensor as they still are. */
  noteRows(tensor: Tensor, rows: Int32Array, gathered: Tensor): void
}

export function openCheckpoint(): TensorCheckpoint {
  const whole = new Map<Tensor, Float32Array>()
  const parts = new Map<Tensor, Map<number, Float32Array>>()
  return {
    note(tensor) {
      if (!whole.has(tensor)) whole.set(tensor, tensor.values.slice())
    },
    noteRows(tensor, rows, { columns, values }) {
      const noted = parts.get(tensor) ?? new Map<number, Float32Array>()
      parts.set(tensor, noted)
      for (const [i, row] of rows.entries()) {
        if (!noted.has(row)) noted.set(row, values.slice(i * columns, (i + 1) * columns))
      }
    },
    restore() {
      for (const [tensor, copy] of whole) tensor.values.set(copy)
      for (const [{ columns, values }, rows] of parts) {
        for (const [row, copy] of rows) values.set(copy, row * columns)
      }
    },
  }
}
