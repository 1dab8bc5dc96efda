// How the reference kernels see the arena: plain rows and columns at byte addresses.

import type { KernelName, RawKernels } from '../contract.ts'

/** A row-major float32 matrix; values are rounded where they are stored and nowhere else. */
export interface MatrixView {
  get(row: number, column: number): number
  set(row: number, column: number, value: number): void
  add(row: number, column: number, value: number): void
}

export interface MemoryViews {
  readonly f32: (address: number, length: number) => Float32Array
  readonly f64: (address: number, length: number) => Float64Array
  readonly i8: (address: number, length: number) => Int8Array
  readonly i32: (address: number, length: number) => Int32Array
  readonly matrix: (address: number, rows: number, columns: number) => MatrixView
}

/** Kernels of one theme; each names the numbers of its contract entry, in that order. */
export type KernelTheme<K extends KernelName> = (views: MemoryViews) => Pick<RawKernels, K>

/** Creates every view again, because memory that grows leaves old views detached. */
export function viewsOf(memory: WebAssembly.Memory): MemoryViews {
  const f32 = (address: number, length: number): Float32Array =>
    new Float32Array(memory.buffer, address, length)
  return {
    f32,
    f64: (address, length) => new Float64Array(memory.buffer, address, length),
    i8: (address, length) => new Int8Array(memory.buffer, address, length),
    i32: (address, length) => new Int32Array(memory.buffer, address, length),
    matrix: (address, rows, columns) => matrixOver(f32(address, rows * columns), columns),
  }
}

const matrixOver = (values: Float32Array, columns: number): MatrixView => ({
  get: (row, column) => values[row * columns + column]!,
  set(row, column, value) {
    values[row * columns + column] = value
  },
  add(row, column, value) {
    values[row * columns + column]! += value
  },
})
