import { slateItems } from '../core/events.ts'
import { beforeAll, describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import {
  createCountUncertainty,
  createLearnedUncertainty,
  createRenPolicy,
} from '../exploration/index.ts'
import type { UncertaintyEstimator } from '../exploration/index.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import { createItemDeviations, createSequenceModel, gru4rec, lazyAdam } from '../models/index.ts'
import { createRecommender, restoreRecommender, type RecommenderSettings } from './recommender.ts'

const itemNames = ['a', 'b', 'c', 'd', 'e', 'f']

describe('a recommender', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine()
  })

  const ren = () =>
    createRenPolicy(engine, { weights: { diversityWeight: 0.1, uncertaintyWeight: 1 } })

  function open(uncertainty: UncertaintyEstimator, more: Partial<RecommenderSettings> = {}) {
    const architecture = gru4rec({ dimension: 8, decoderScale: 1 })
    const model = createSequenceModel(engine, architecture, itemNames.length, createRandom(4))
    return createRecommender({ model, policy: ren(), uncertainty, itemNames, seed: 1, ...more })
  }
  type Open = ReturnType<typeof open>

  const show = (recommender: Open, items: readonly string[], time: number) =>
    recommender.observe({
      kind: 'recommendation',
      user: `user ${time % 5}`,
      items: slateItems(
        items,
        items.map(() => 0.5),
      ),
      time,
    })
  const uncertaintyOf = (recommender: Open) =>
    Object.fromEntries(
      recommender
        .recommend({ user: 'somebody', count: recommender.model.itemCount })
        .items.map(({ item, uncertainty }) => [item, uncertainty]),
    )

  const learning: Partial<RecommenderSettings> = {
    deviations: (model, observationsOf) =>
      createItemDeviations(model, { priorDeviation: 0.3, observationsOf, priorWeight: 0.01 }),
    // σ needs hundreds of steps; see item-deviations.ts.
    fineTune: {
      steps: 400,
      optimizer: (model) => lazyAdam(model.engine, model.workspace, { rate: 0.02 }),
    },
  }

  it('has the same uncertainty for a few candidates', () => {
    const recommender = open(createCountUncertainty())
    const among = (...candidates: string[]) =>
      Object.fromEntries(
        recommender
          .recommend({ user: 'somebody', count: candidates.length, candidates })
          .items.map(({ item, uncertainty }) => [item, uncertainty]),
      )
    show(recommender, ['a', 'b'], 1)
    const first = among('a', 'c')
    show(recommender, ['a', 'c', 'd'], 2)
    const second = among('d', 'a')
    const all = uncertaintyOf(recommender)
    expect(second).toEqual({ a: all['a'], d: all['d'] })
    expect(second['a']).toBeLessThan(first['a']!)
    expect(among('a', 'b', 'c', 'd', 'e', 'f')).toEqual(all)
  })

  it('reads learned deviations once per change of the weights, and only on request', () => {
    const counted = (uncertainty: UncertaintyEstimator) => {
      let looks = 0
      const recommender = open(uncertainty, {
        deviations: (model, observationsOf) => {
          const learned = createItemDeviations(model, { priorDeviation: 0.3, observationsOf })
          const deviations = () => {
            looks += 1
            return learned.deviations()
          }
          return {
            priorDeviation: learned.priorDeviation,
            get table() {
              return learned.table
            },
            draw: learned.draw,
            deviations,
          }
        },
      })
      const live = (from: number) => {
        for (let time = from; time < from + 4; time++) {
          show(recommender, ['a', 'b'], time)
          uncertaintyOf(recommender)
        }
        return looks
      }
      const first = live(0)
      recommender.fineTune()
      const second = live(4)
      recommender.addItems(['g'])
      return [first, second, live(8)]
    }
    expect(counted(createLearnedUncertainty({ priorDeviation: 0.3 }))).toEqual([1, 2, 3])
    expect(counted(createCountUncertainty())).toEqual([0, 0, 0])
  })

  it('has learned deviations again after a restore, also for added items', () => {
    const estimator = () => createLearnedUncertainty({ priorDeviation: 0.3 })
    const live = open(estimator(), learning)
    live.addItems(['g'])
    for (let time = 0; time < 20; time++) show(live, ['a', 'g'], time)
    live.fineTune()
    const settings = { ...learning, policy: ren(), uncertainty: estimator() }
    const restored = restoreRecommender(engine, live.save(), settings)
    const known = uncertaintyOf(restored)
    expect(known).toEqual(uncertaintyOf(live))
    expect(known['g']).toBeLessThan(0.99)
    expect(restored.save()).toEqual(live.save())
  })

  it('learns σ together with relevance, on request', () => {
    const recommender = open(createLearnedUncertainty({ priorDeviation: 0.3 }), learning)
    for (let time = 0; time < 60; time++) {
      show(recommender, ['a', 'b'], time)
      const [item, reward] = time % 3 === 0 ? (['a', 1] as const) : (['b', 0.2] as const)
      recommender.observe({ kind: 'interaction', user: `user ${time % 5}`, item, reward, time })
    }
    expect(uncertaintyOf(recommender)['a']).toBe(1)
    recommender.fineTune()
    const after = uncertaintyOf(recommender)
    expect(after['a']).toBeLessThan(0.99)
    expect(after['c']).toBe(1)
  })
})
