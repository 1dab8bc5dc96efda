import { beforeAll, describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import {
  createLaplaceUncertainty,
  createLearnedUncertainty,
  createRenPolicy,
} from '../exploration/index.ts'
import type { UncertaintyEstimator } from '../exploration/index.ts'
import { createEngine } from '../kernels/index.ts'
import type { Engine } from '../kernels/index.ts'
import { createItemDeviations, createSequenceModel, gru4rec, lazyAdam } from '../models/index.ts'
import type { RenEvent } from './events.ts'
import { createRecommender } from './recommender.ts'
import type { RecommenderSettings } from './recommender.ts'

const itemNames = ['a', 'b', 'c', 'd', 'e', 'f']

describe('a recommender', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine()
  })

  function open(uncertainty: UncertaintyEstimator, more: Partial<RecommenderSettings> = {}) {
    const architecture = gru4rec({ dimension: 8, decoderScale: 1 })
    const model = createSequenceModel(engine, architecture, itemNames.length, createRandom(4))
    const weights = { diversityWeight: 0.1, uncertaintyWeight: 1 }
    const policy = createRenPolicy(engine, { weights })
    return createRecommender({ model, policy, uncertainty, itemNames, seed: 1, ...more })
  }
  type Open = ReturnType<typeof open>

  const show = (recommender: Open, items: readonly string[], time: number) =>
    recommender.observe({
      kind: 'shown',
      user: `user ${time % 5}`,
      items,
      rewards: items.map(() => 0.5),
      time,
    })
  const uncertaintyOf = (recommender: Open) =>
    Object.fromEntries(
      recommender
        .recommend({ user: 'somebody', count: recommender.model.itemCount })
        .items.map(({ item, uncertainty }) => [item, uncertainty]),
    )

  it('lets a Laplace estimate gather what was shown to whom', () => {
    const laplace = createLaplaceUncertainty({
      dimension: 8,
      itemCount: 6,
      priorDeviation: 1,
      noise: 0.01,
    })
    const recommender = open(laplace)
    for (let time = 0; time < 40; time++) show(recommender, time < 2 ? ['a', 'b'] : ['a'], time)
    const { a, b, c } = uncertaintyOf(recommender)
    expect(a).toBeLessThan(b!)
    expect(b).toBeLessThan(c!)
    expect(c).toBe(1)
    recommender.addItems(['g'])
    expect(uncertaintyOf(recommender)['g']).toBe(1)
  })

  it('learns σ while it learns relevance, where it is told to', () => {
    const recommender = open(createLearnedUncertainty({ priorDeviation: 0.3 }), {
      deviations: (model, observationsOf) =>
        createItemDeviations(model, { priorDeviation: 0.3, observationsOf, priorWeight: 0.01 }),
      // σ needs hundreds of steps to say anything; see item-deviations.ts.
      fineTune: {
        steps: 400,
        optimiser: (model) => lazyAdam(engine, model.workspace, { rate: 0.02 }),
      },
    })
    for (let time = 0; time < 60; time++) {
      show(recommender, ['a', 'b'], time)
      const [item, reward] = time % 3 === 0 ? ['a', 1] : ['b', 0.2]
      recommender.observe({
        kind: 'taken',
        user: `user ${time % 5}`,
        item,
        reward,
        time,
      } as RenEvent)
    }
    expect(uncertaintyOf(recommender)['a']).toBe(1)
    recommender.fineTune()
    const after = uncertaintyOf(recommender)
    expect(after['a']).toBeLessThan(0.99)
    expect(after['c']).toBe(1)
  })
})
