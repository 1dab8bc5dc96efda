// The layers of sequence models, forward and backward.

import {
  flag,
  input,
  output,
  positive,
  scalar,
  size,
  sizesOf,
  stated,
  update,
} from '../signature.ts'
import type { Sizes } from '../signature.ts'

const sequence = (s: Sizes): number => s['steps']! * s['batch']!
const sequenceAndStart = (s: Sizes): number => (s['steps']! + 1) * s['batch']!
const times =
  (factor: number, name: string) =>
  (s: Sizes): number =>
    factor * s[name]!

const attentionRows = (s: Sizes): number => s['batch']! * s['heads']! * s['steps']!

const gruSizes = [
  flag('resetBefore'),
  stated('steps'),
  stated('batch'),
  size('hidden', (g) => g.columns('weights')),
] as const
const attentionSizes = [stated('steps'), stated('batch'), stated('heads', 'width')] as const

export const layers = {
  /**
   * A GRU over a batch of sequences, given its input projections x·W_iᵀ + b_i (gate order r, z, n).
   * `states` holds the start state in block 0 and receives h_t in block t+1. `gates` receives r, z, n
   * and q for the backward pass.
   * reset-after (PyTorch):   q = U_n h + b_n; n = tanh(x_n + r∘q);         h' = (1−z)∘n + z∘h
   * reset-before (original): q = r∘h;         n = tanh(x_n + U_n q + b_n); h' = (1−z)∘h + z∘n
   */
  gruForward: [
    ...gruSizes,
    input('inputs', sequence, times(3, 'hidden')),
    input('weights', times(3, 'hidden'), 'hidden'),
    input('bias', 1, times(3, 'hidden')),
    update('states', sequenceAndStart, 'hidden', 'batch'),
    output('gates', sequence, times(4, 'hidden')),
  ],
  /**
   * The backward pass. `dStates` holds ∂loss/∂h_t of the outputs and receives the total gradients, so
   * that block 0 becomes the gradient of the start state. `dRecurrent` is the gradient of
   * U·operand + b, from which dWeights and dBias are accumulated.
   */
  gruBackward: [
    ...gruSizes,
    input('weights', times(3, 'hidden'), 'hidden'),
    input('states', sequenceAndStart, 'hidden'),
    input('gates', sequence, times(4, 'hidden')),
    update('dStates', sequenceAndStart, 'hidden'),
    output('dInputs', sequence, times(3, 'hidden')),
    output('dRecurrent', sequence, times(3, 'hidden')),
    update('dWeights', times(3, 'hidden'), 'hidden'),
    update('dBias', 1, times(3, 'hidden')),
  ],
  /** out = gain∘(x − mean)/√(variance + ε) + bias by row; `statistics` receives (mean, 1/√…). */
  layerNormForward: [
    ...sizesOf('x'),
    scalar('epsilon', positive),
    input('x'),
    input('gain', 1, 'columns'),
    input('bias', 1, 'columns'),
    output('out'),
    output('statistics', 'rows', 2),
  ],
  /** Accumulates into dX, dGain and dBias. */
  layerNormBackward: [
    ...sizesOf('x'),
    input('x'),
    input('gain', 1, 'columns'),
    input('statistics', 'rows', 2),
    input('dOut'),
    update('dX'),
    update('dGain', 1, 'columns'),
    update('dBias', 1, 'columns'),
  ],
  /**
   * Causal self-attention: per sequence and head, out = softmax(Q·Kᵀ/√w, without the future)·V, with
   * w = width/heads. `qkv` is [Q | K | V] by columns; heads are column blocks of each. `weights`
   * receives the softmax: row (b·heads + h)·steps + i has the weights of step i, 0 after i.
   */
  attentionForward: [
    ...attentionSizes,
    size('width', (g) => g.columns('out')),
    input('qkv', sequence, times(3, 'width')),
    output('weights', attentionRows, 'steps'),
    output('out', sequence, 'width'),
  ],
  /**
   * Writes dQkv. Replaces `weights` by the gradient of the products Q·Kᵀ, which is 0 after the step of
   * a row, as the weights are.
   */
  attentionBackward: [
    ...attentionSizes,
    size('width', (g) => g.columns('dOut')),
    input('qkv', sequence, times(3, 'width')),
    update('weights', attentionRows, 'steps'),
    input('dOut', sequence, 'width'),
    output('dQkv', sequence, times(3, 'width')),
  ],
} as const
