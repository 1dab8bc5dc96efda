// The layer interface: a function of a batch of sequences, and its backward pass.

import type { Random } from '../../core/random.ts'
import type { Engine, Tensor } from '../../kernels/index.ts'
import type { SequenceBatch } from '../batch.ts'
import type { Parameter } from '../parameter.ts'
import type { Workspace } from '../../kernels/index.ts'

/** One trip through the layers. */
export interface Pass {
  readonly batch: SequenceBatch
  /** Where dropout draws from; null outside of training, when nothing is dropped. */
  readonly random: Random | null
  /** Where recurrent layers start from (sequences × hidden); zero where absent. */
  readonly state?: Tensor
}

export interface Layer {
  readonly parameters: readonly Parameter[]
  /** Rows (steps·sequences × width in) → (steps·sequences × width out); causal in time. */
  forward(x: Tensor, pass: Pass): Tensor
  /** ∂loss/∂out → ∂loss/∂x of the last forward; accumulates the parameters' gradients. */
  backward(dOut: Tensor): Tensor
}

/** What a layer is built from. */
export interface LayerContext {
  readonly engine: Engine
  /** Opens the names of the layer's parameters. */
  readonly name: string
  /** Draws the starting values. */
  readonly random: Random
  readonly workspace: Workspace
}

/** The context of a layer within. */
export function inner(context: LayerContext, name: string): LayerContext {
  return {
    engine: context.engine,
    name: `${context.name}.${name}`,
    random: context.random.fork(name),
    workspace: context.workspace.within(name),
  }
}

/** Layers one after another. */
export function sequential(layers: readonly Layer[]): Layer {
  return {
    parameters: layers.flatMap((layer) => layer.parameters),
    forward: (x, pass) => layers.reduce((input, layer) => layer.forward(input, pass), x),
    backward: (dOut) => layers.reduceRight((d, layer) => layer.backward(d), dOut),
  }
}
