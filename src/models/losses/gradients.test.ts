// Compares the gradients of every loss with finite differences, with and without biases.

import { describe, it } from 'vitest'
import { checkLoss } from '../../../test/check-loss.ts'
import { noCandidates } from './loss.ts'
import type { Loss } from './loss.ts'
import { leftLoss, ranking } from './ranking.ts'
import { binaryCrossEntropy, squaredError } from './reward.ts'
import { sampled } from './sampled.ts'
import type { SampledOptions } from './sampled.ts'
import { softmax } from './softmax.ts'

const sampledOf = (options: Pick<SampledOptions, 'kind'> & Partial<SampledOptions>) => {
  return (itemCount: number) =>
    sampled({
      negatives: 3,
      support: Float64Array.from({ length: itemCount }, (_, item) => 1 + 3 * item),
      alpha: 0.5,
      ...options,
    })
}

/** Rewards of either sign: about half of the targets are negatives. */
const signed = (share: number) => (share < 0.5 ? 0 : share)

/** Draws only some items for any size of the step. */
const fewCandidates = (loss: Loss): Loss => ({
  ...loss,
  candidates: (targets, random, itemCount) =>
    loss.candidates(targets, random, itemCount).subarray(0, 2),
})

/** Before each target the user left the next item of the catalog, and item 0 before the first one. */
const leftItems = (itemCount: number): Loss => ({
  name: 'left items',
  scoresAll: false,
  candidates: () => noCandidates,
  apply(scored, targets) {
    const others = Array.from(targets.items, (item, target) => [target, (item + 1) % itemCount])
    const [of, items] = [0, 1].map((at) => Int32Array.from([...others, [0, 0]], (one) => one[at]!))
    return leftLoss(scored, { ...targets, left: { targets: of!, items: items! } })
  },
})

describe('the gradients are those of the value for', () => {
  it('the full softmax', () => checkLoss(() => softmax()))
  it('the full softmax, weighted by rewards', () =>
    checkLoss(() => softmax({ weighRewards: true })))
  it('sampled cross-entropy, weighted by rewards', () =>
    checkLoss(sampledOf({ kind: 'cross-entropy', weighRewards: true })))
  it('squared error', () => checkLoss(squaredError))
  it('binary cross-entropy', () => checkLoss(binaryCrossEntropy))
  it('sampled cross-entropy', () => checkLoss(sampledOf({ kind: 'cross-entropy' })))
  it('sampled cross-entropy with logQ', () =>
    checkLoss(sampledOf({ kind: 'cross-entropy', logQ: 0.8 })))
  it('ranking', () => checkLoss(() => ranking({ unchosenWeight: 0.7 }), signed))
  it('ranking with few candidates', () =>
    checkLoss(() => fewCandidates(ranking({ negativeWeight: 0.4 })), signed))
  it('left items', () => checkLoss(leftItems))
  it('BPR-max', () => checkLoss(sampledOf({ kind: 'bpr-max' })))
  it('BPR-max with regularized scores', () =>
    checkLoss(sampledOf({ kind: 'bpr-max', regularization: 0.9 })))
  it('BPR-max with ELU', () =>
    checkLoss(sampledOf({ kind: 'bpr-max', regularization: 0.5, elu: 1 })))
})
