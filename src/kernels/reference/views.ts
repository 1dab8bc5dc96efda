// Converts raw arguments for the reference kernels: each argument by its name in the contract, and
// tensors as matrices and lists of the shapes in the contract.

import { contract } from '../contract.ts'
import type { KernelName } from '../contract.ts'
import type { Indices, Matrix, Parameter } from '../signature.ts'

/** A row-major float32 matrix. Values are rounded only when they are stored. */
export class MatrixView {
  readonly values: Float32Array
  readonly columns: number

  constructor(values: Float32Array, columns: number) {
    this.values = values
    this.columns = columns
  }

  get(row: number, column: number): number {
    return this.values[row * this.columns + column]!
  }

  set(row: number, column: number, value: number): void {
    this.values[row * this.columns + column] = value
  }

  add(row: number, column: number, value: number): void {
    this.values[row * this.columns + column]! += value
  }

  row(row: number): Float32Array {
    return this.values.subarray(row * this.columns, (row + 1) * this.columns)
  }
}

/** x·y, summed in order. */
export function dot(x: Float32Array, y: Float32Array): number {
  let sum = 0
  for (let i = 0; i < x.length; i++) sum += x[i]! * y[i]!
  return sum
}

type ViewOf<P> =
  P extends Matrix<string> ? MatrixView : P extends Indices<string> ? Int32Array : number

/** A kernel's arguments by name: tensors as views; sizes, flags (0 or 1) and scalars as numbers. */
export type KernelViews<K extends KernelName> = {
  readonly [P in (typeof contract)[K][number] as P['name']]: ViewOf<P>
}

/** The types of the reference kernels. */
export type ReferenceKernels = {
  readonly [K in KernelName]: (args: KernelViews<K>) => number | void
}

/**
 * Creates a function that converts the raw arguments of a kernel to views. Each call creates new
 * views, because growing the memory detaches old ones.
 */
export function createViewer(memory: WebAssembly.Memory, kernel: KernelName) {
  const parameters: readonly Parameter[] = contract[kernel]
  return (raw: readonly number[]) => {
    const numbers: Record<string, number> = {}
    for (let i = 0; i < raw.length; i++) numbers[parameters[i]!.name] = raw[i]!
    const views: Record<string, MatrixView | Int32Array | number> = { ...numbers }
    for (let i = 0; i < raw.length; i++) {
      const parameter = parameters[i]!
      if ('shape' in parameter) {
        const [rows, columns] = parameter.shape(numbers)
        const values = new Float32Array(memory.buffer, raw[i], rows * columns)
        views[parameter.name] = new MatrixView(values, columns)
      } else if ('bound' in parameter) {
        views[parameter.name] = new Int32Array(memory.buffer, raw[i], parameter.length(numbers))
      }
    }
    return views
  }
}
