// Kernels of training besides the layers: dropout, scores of pairs, losses and optimizer steps.

import {
  flag,
  fraction,
  indices,
  input,
  output,
  positive,
  scalar,
  seed,
  size,
  sizesOf,
  update,
  weight,
} from '../signature.ts'

const pairs = [
  size('count', (g) => g.length('rowIndices')),
  size('width', (g) => g.columns('rows')),
  size('rowCount', (g) => g.rows('rows')),
  size('itemCount', (g) => g.rows('items')),
  input('rows', 'rowCount', 'width'),
  input('items', 'itemCount', 'width'),
  indices('rowIndices', 'count', 'rowCount'),
  indices('itemIndices', 'count', 'itemCount'),
] as const

export const training = {
  /**
   * mask[i] = 0 with probability `rate`, else 1/(1 − rate). Element i depends only on `seed` and i, by
   * the same hash on every engine: state_i = mix(seed) + (i + 1)·0x9e3779b9 modulo 2³², and mask[i] is
   * 0 if the upper 24 bits of mix(state_i), as a fraction, are below `rate`. mix is the finalizer of
   * MurmurHash3.
   */
  dropoutMask: [
    ...sizesOf('mask'),
    scalar('rate', { min: 0, max: 1 }),
    scalar('seed', seed),
    output('mask'),
  ],
  /** scores[i] = rows[rowIndices[i],:]·items[itemIndices[i],:]. */
  scorePairs: [...pairs, output('scores', 1, 'count')],
  /** Accumulates into dRows and dItems. */
  scorePairsBackward: [
    ...pairs,
    input('dScores', 1, 'count'),
    update('dRows', 'rowCount', 'width'),
    update('dItems', 'itemCount', 'width'),
  ],
  /**
   * Softmax cross-entropy of each row of `logits` against its target column. losses[i] = −ln p_i;
   * `logits` becomes the gradient of Σ_i weights[i]·losses[i].
   */
  crossEntropyRows: [
    ...sizesOf('logits'),
    indices('targets', 'rows', 'columns'),
    input('weights', 1, 'rows'),
    update('logits'),
    output('losses', 1, 'rows'),
  ],
  /**
   * BPR-max of each row of `scores` with its target column t against all others j:
   * losses[i] = −ln(Σ_j s_j σ(o_t − o_j) + 10⁻²⁴) + regularization·Σ_j s_j o_j², where s is the
   * softmax of the o_j, and o = scores. With `elu`, o = scores if positive, else alpha·(e^scores − 1).
   * The loss of a row without negatives is 0. `scores` becomes the gradient of Σ_i weights[i]·losses[i].
   */
  bprMaxRows: [
    flag('elu'),
    ...sizesOf('scores'),
    scalar('alpha', weight),
    scalar('regularization', weight),
    indices('targets', 'rows', 'columns'),
    input('weights', 1, 'rows'),
    update('scores'),
    output('losses', 1, 'rows'),
  ],
  /**
   * One dense Adam step (as in PyTorch): m = β₁m + (1−β₁)g; v = β₂v + (1−β₂)g²;
   * p −= rate·(m/correction1)/(√(v/correction2) + ε), with correctionᵢ = 1 − βᵢᵗ at step t.
   */
  adam: [
    ...sizesOf('parameters'),
    scalar('rate', weight),
    scalar('beta1', fraction),
    scalar('beta2', fraction),
    scalar('epsilon', positive),
    scalar('correction1', { ...positive, max: 1 }),
    scalar('correction2', { ...positive, max: 1 }),
    input('gradient'),
    update('firstMoment'),
    update('secondMoment'),
    update('parameters'),
  ],
  /** One Adagrad step with momentum: s += g²; v = momentum·v − rate·g/√(s + ε); p += v. */
  adagrad: [
    ...sizesOf('parameters'),
    scalar('rate', weight),
    scalar('epsilon', positive),
    scalar('momentum', fraction),
    input('gradient'),
    update('accumulator'),
    update('velocity'),
    update('parameters'),
  ],
} as const
