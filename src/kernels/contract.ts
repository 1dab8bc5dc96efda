// The kernel contract: one table (its parts are in contract/) says what each kernel reads, writes and how big it is.
// The engines implement it (reference/, assembly/), operations.ts derives the checked calls from
// it and the agreement test derives its random cases from it, so nothing about a kernel's
// arguments is written twice. To add a kernel see docs/extending.md.
//
// A parameter list *is* the raw signature: sizes, flags and scalars travel as numbers, tensors as
// byte addresses in the engine's arena. Matrices are dense, row-major float32. Sequences are
// time-major: row t·batch + b of a (steps·batch × width) matrix is step t of sequence b, so that
// one step of the whole batch, and any shift in time, is a contiguous block of rows.

import { elementwise, embeddingRows, matrixProduct } from './contract/algebra.ts'
import { attention, convolution, layerNorm, recurrent } from './contract/layers.ts'
import { scoring, slate } from './contract/scoring.ts'
import { dropout, loss, optimizer, pairScores } from './contract/training.ts'
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
  ...matrixProduct,
  ...elementwise,
  ...embeddingRows,
  ...recurrent,
  ...convolution,
  ...layerNorm,
  ...attention,
  ...dropout,
  ...pairScores,
  ...loss,
  ...optimizer,
  ...scoring,
  ...slate,
} as const satisfies Record<string, readonly Parameter[]>

/** The name of a kernel, such as `rowNorms`. */
export type KernelName = keyof typeof contract
/** The names of all kernels. */
export const kernelNames = Object.keys(contract) as readonly KernelName[]

/**
 * Kernels that have read element i of every matrix before they write element i of any, so that
 * what they write may be the very matrix that they read.
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
  Named<P, Size<string, true>, number> &
  Named<P, Scalar<string>, number> &
  Optional<P, Flag<string>, boolean>

/** The kernels as methods with named arguments. Every call checks shapes. */
export type Operations = { readonly [K in KernelName]: (args: KernelArguments<K>) => number }
