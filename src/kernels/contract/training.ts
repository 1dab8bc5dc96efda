// What training needs after the layers: losses and optimiser steps.

import { indices, input, output, scalar, size, update } from '../signature.ts'

export const loss = {
  /**
   * Softmax cross-entropy of each row of `logits` against its target column. losses[i] = −ln p_i;
   * `logits` becomes the gradient of Σ_i weights[i]·losses[i].
   */
  crossEntropyRows: [
    size('rows', (g) => g.rows('logits')),
    size('columns', (g) => g.columns('logits')),
    indices('targets', 'rows', 'columns'),
    input('weights', 1, 'rows'),
    update('logits', 'rows', 'columns'),
    output('losses', 1, 'rows'),
  ],
  /**
   * The same over logits = hidden·itemsᵀ, never held whole: `scratch` has room for as many rows of
   * logits as fit the cache and the kernel goes through the rows chunk by chunk. Writes dHidden,
   * accumulates into dItems.
   */
  softmaxCrossEntropy: [
    size('rows', (g) => g.rows('hidden')),
    size('items', (g) => g.rows('items')),
    size('width', (g) => g.columns('hidden')),
    size('chunk', (g) => g.rows('scratch')),
    input('hidden', 'rows', 'width'),
    input('items', 'items', 'width'),
    indices('targets', 'rows', 'items'),
    input('weights', 1, 'rows'),
    output('scratch', 'chunk', 'items'),
    output('losses', 1, 'rows'),
    output('dHidden', 'rows', 'width'),
    update('dItems', 'items', 'width'),
  ],
} as const

export const optimiser = {
  /**
   * One dense Adam step (as in PyTorch): m = β₁m + (1−β₁)g; v = β₂v + (1−β₂)g²;
   * p −= rate·(m/correction1)/(√(v/correction2) + ε), with correctionᵢ = 1 − βᵢᵗ at step t.
   */
  adam: [
    size('rows', (g) => g.rows('parameters')),
    size('columns', (g) => g.columns('parameters')),
    scalar('rate'),
    scalar('beta1'),
    scalar('beta2'),
    scalar('epsilon'),
    scalar('correction1'),
    scalar('correction2'),
    input('gradient', 'rows', 'columns'),
    update('firstMoment', 'rows', 'columns'),
    update('secondMoment', 'rows', 'columns'),
    update('parameters', 'rows', 'columns'),
  ],
  /** One Adagrad step: s += g²; p −= rate·g/√(s + ε). */
  adagrad: [
    size('rows', (g) => g.rows('parameters')),
    size('columns', (g) => g.columns('parameters')),
    scalar('rate'),
    scalar('epsilon'),
    input('gradient', 'rows', 'columns'),
    update('accumulator', 'rows', 'columns'),
    update('parameters', 'rows', 'columns'),
  ],
} as const
