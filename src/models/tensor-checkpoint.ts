// A checkpoint of tensors that are about to change: of whole tensors, or of some of their rows.

import type { Tensor } from '../kernels/index.ts'

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
