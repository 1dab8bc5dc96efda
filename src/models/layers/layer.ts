// The interface of a layer: a function of a batch of sequences, and its backward pass.

import type { Random } from '../../core/random.ts'
import type { Engine, Tensor, Workspace } from '../../kernels/index.ts'
import type { SequenceBatch } from '../batch.ts'
import type { Parameter } from '../parameter.ts'

/** The context of one forward pass. */
export interface Pass {
  readonly batch: SequenceBatch
  /** The random stream of dropout; null disables dropout. */
  readonly random: Random | null
  /** The initial state of recurrent layers (sequences × hidden). Defaults to zero. */
  readonly state?: Tensor
}

export interface Layer {
  readonly parameters: readonly Parameter[]
  /** Rows (steps·sequences × width in) → (steps·sequences × width out); causal in time. */
  forward(x: Tensor, pass: Pass): Tensor
  /**
   * Maps ∂loss/∂out to ∂loss/∂x of the last forward pass. Accumulates the parameters' gradients.
   */
  backward(dOut: Tensor): Tensor
}

/** The dependencies of a layer. */
export interface LayerContext {
  readonly engine: Engine
  /** The prefix of the names of the layer's parameters. */
  readonly name: string
  /** Draws the initial values. */
  readonly random: Random
  readonly workspace: Workspace
}

/** Returns the context of a nested layer. */
export function inner(context: LayerContext, name: string): LayerContext {
  return {
    engine: context.engine,
    name: `${context.name}.${name}`,
    random: context.random.fork(name),
    workspace: context.workspace.within(name),
  }
}

/** Returns a matrix of zeros in a workspace. */
export function zeroMatrix(
  workspace: Workspace,
  name: string,
  rows: number,
  columns: number,
): Tensor {
  const tensor = workspace.matrix(name, rows, columns)
  tensor.values.fill(0)
  return tensor
}

/** Chains layers. */
export function sequential(layers: readonly Layer[]): Layer {
  return {
    parameters: layers.flatMap((layer) => layer.parameters),
    forward: (x, pass) => layers.reduce((input, layer) => layer.forward(input, pass), x),
    backward: (dOut) => layers.reduceRight((d, layer) => layer.backward(d), dOut),
  }
}
