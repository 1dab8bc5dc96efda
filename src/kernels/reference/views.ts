// How the reference kernels see the arena: each argument by its name in the contract, tensors as
// matrices and lists of the shape that the contract states.

import { contract } from '../contract.ts'
import type { KernelName } from '../contract.ts'
import type { Indices, Matrix, Parameter } from '../signature.ts'

/** A row-major float32 matrix; values are rounded where they are stored and nowhere else. */
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

type ViewOf<P> =
  P extends Matrix<string> ? MatrixView : P extends Indices<string> ? Int32Array : number

/** A kernel's arguments by name: tensors as views; sizes, flags (0 or 1) and scalars as numbers. */
export type KernelViews<K extends KernelName> = {
  readonly [P in (typeof contract)[K][number] as P['name']]: ViewOf<P>
}

/** The kernels as the reference writes them. */
export type ReferenceKernels = {
  readonly [K in KernelName]: (args: KernelViews<K>) => number | void
}

/** Creates every view again, because memory that grows leaves old views detached. */
export function viewArguments(
  { buffer }: WebAssembly.Memory,
  kernel: KernelName,
  raw: readonly number[],
): Readonly<Record<string, MatrixView | Int32Array | number>> {
  const parameters: readonly Parameter[] = contract[kernel]
  const numbers = Object.fromEntries(parameters.map(({ name }, i) => [name, raw[i]!]))
  const views = parameters.map((parameter) => {
    const number = numbers[parameter.name]!
    if ('bound' in parameter) return new Int32Array(buffer, number, parameter.length(numbers))
    if (!('shape' in parameter)) return number
    const [rows, columns] = parameter.shape(numbers)
    return new MatrixView(new Float32Array(buffer, number, rows * columns), columns)
  })
  return Object.fromEntries(parameters.map(({ name }, i) => [name, views[i]!]))
}
