// The kernel contract: one table, with its parts in contract/, declares the inputs, outputs and sizes
// of each kernel. The engines implement it (reference/, assembly/), and operations.ts and the tests
// derive checks and random cases from it. docs/extending.md shows how to add a kernel.
//
// A parameter list is the raw signature: sizes, flags and scalars are numbers, and tensors are byte
// addresses in the engine's memory. Matrices are dense, row-major float32. Sequences are time-major:
// row t·batch + b of a (steps·batch × width) matrix is step t of sequence b, so that one step of the
// whole batch, and any shift in time, is a contiguous block of rows.

import { algebra } from './contract/algebra.ts'
import { layers } from './contract/layers.ts'
import { scoring } from './contract/scoring.ts'
import { training } from './contract/training.ts'
import type {
  Flag,
  IndexTensor,
  Indices,
  Matrix,
  Parameter,
  Scalar,
  Size,
  Tensor,
} from './signature.ts'

/** The parameters of each kernel, with their shapes. Every build of the kernels follows it. */
export const contract = {
  ...algebra,
  ...layers,
  ...training,
  ...scoring,
} as const satisfies Record<string, readonly Parameter[]>

/** The name of a kernel, such as `rowNorms`. */
export type KernelName = keyof typeof contract
/** The names of all kernels. */
export const kernelNames = Object.keys(contract) as readonly KernelName[]

/**
 * Kernels that read element i of every input before they write element i of the output, so that the
 * output may be one of the inputs.
 */
export const elementwiseKernels: ReadonlySet<KernelName> = new Set([
  'addScaled',
  'multiplyElements',
  'relu',
  'reluBackward',
])

/** The raw form that engines implement: numbers and byte addresses in the contract's order. */
export type RawKernels = { readonly [K in KernelName]: (...args: number[]) => number | void }

type Named<P extends Parameter, Kind, Value> = {
  readonly [Q in Extract<P, Kind> as Q['name']]: Value
}
type Optional<P extends Parameter, Kind, Value> = {
  readonly [Q in Extract<P, Kind> as Q['name']]?: Value
}

/** The arguments of a kernel by name: tensors, row lists, sizes, scalars and optional flags. */
export type KernelArguments<
  K extends KernelName,
  P extends Parameter = (typeof contract)[K][number],
> = Named<P, Matrix<string>, Tensor> &
  Named<P, Indices<string>, IndexTensor> &
  Named<P, Size<string, true> | Scalar<string>, number> &
  Optional<P, Flag<string>, boolean>

/** The kernels as methods with named arguments. Every call checks shapes. */
export type Operations = { readonly [K in KernelName]: (args: KernelArguments<K>) => number }
