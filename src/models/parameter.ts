// Trainable tensors with their gradients, initializers, and checkpoints of tensors.

import type { Random } from '../core/random.ts'
import type { Allocator, Tensor } from '../kernels/index.ts'

export interface Parameter {
  /** Unique within its model, and its name in a model file. */
  readonly name: string
  readonly value: Tensor
  readonly gradient: Tensor
}

/** Returns one initial value. */
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
/** Glorot's uniform initializer: the bound is √(6/(inputs + outputs)). */
export const glorot = (random: Random, inputs: number, outputs: number): Start =>
  uniform(random, Math.sqrt(6 / (inputs + outputs)))

/** Creates a parameter. Its values default to zeros. */
export function createParameter(
  allocator: Pick<Allocator, 'matrix'>,
  name: string,
  [rows, columns]: readonly [number, number],
  start?: Start,
): Parameter {
  const value = allocator.matrix(name, rows, columns)
  if (start) for (let i = 0; i < rows * columns; i++) value.values[i] = start()
  return { name, value, gradient: allocator.matrix(`gradient of ${name}`, rows, columns) }
}

/** A matrix whose number of rows can grow. New rows are zero. */
export type GrowingTable = ReturnType<typeof createGrowingTable>

/**
 * Creates a growing matrix. When it is full, its capacity doubles, so that adding rows one by one rarely
 * copies it.
 */
export function createGrowingTable(allocator: Allocator, name: string, columns: number) {
  let reserved: Tensor | undefined
  return {
    /** Returns the first rows, with their values; earlier results may be freed. */
    first(rows: number): Tensor {
      if (reserved === undefined || rows > reserved.rows) {
        const old = reserved
        reserved = allocator.matrix(name, old === undefined ? rows : 2 * rows, columns)
        if (old !== undefined) {
          reserved.values.set(old.values)
          allocator.free(old)
        }
      }
      return allocator.part(reserved, 0, rows)
    },
    free(): void {
      if (reserved !== undefined) allocator.free(reserved)
    },
  }
}

/** A saved state that can be restored. */
export interface Restorable {
  restore(): void
}

/**
 * Saves tensors, or some of their rows, before they change. Only the first call per tensor or row
 * counts.
 */
export interface TensorCheckpoint extends Restorable {
  note(tensor: Tensor): void
  /** Saves the rows from `gathered`, which holds their current values. */
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
