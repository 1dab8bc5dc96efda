import { slateItems } from '../core/events.ts'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { anyLog, firstItems, vectorLength } from '../../test/random-events.ts'
import { createRandom } from '../core/random.ts'
import { createCountUncertainty, createLearnedUncertainty } from '../exploration/index.ts'
import type { Decision, Evidence, UncertaintyEstimator } from '../exploration/index.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import { createItemDeviations, createSequenceModel, gru4rec } from '../models/index.ts'
import type { ItemDeviations } from '../models/index.ts'
import { createRecommender } from './recommender.ts'

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})

const learned = createLearnedUncertainty({ priorDeviation: 0.3 })
/** Without `movedBy`. */
const shares = (): UncertaintyEstimator => ({
  name: 'shares',
  estimate({ impressions }, out) {
    const sum = impressions.reduce((total, n) => total + n, 1)
    for (let k = 0; k < out.length; k++) out[k] = 1 - impressions[k]! / sum
  },
})
const estimators: Readonly<Record<string, () => UncertaintyEstimator>> = {
  count: () => createCountUncertainty(),
  'add-one': () => createCountUncertainty({ rule: 'add-one' }),
  'with interactions': () => createCountUncertainty({ evidence: 'impressions-and-interactions' }),
  learned: () => learned,
  shares,
}

/** A recommender whose policy records its uncertainty. */
function open(uncertainty: UncertaintyEstimator) {
  let given = new Float32Array()
  let deviations: ItemDeviations | undefined
  const policy = {
    name: 'recorder',
    choose(decision: Decision) {
      given = decision.uncertainty.slice()
      return { items: [], complete: false }
    },
  }
  const model = createSequenceModel(
    engine,
    gru4rec({ dimension: vectorLength }),
    firstItems.length,
    createRandom(1),
  )
  const recommender = createRecommender({
    model,
    policy,
    uncertainty,
    deviations: (target, observationsOf) =>
      (deviations = createItemDeviations(target, { priorDeviation: 0.3, observationsOf })),
    itemNames: firstItems,
    seed: 1,
  })
  const now = () => {
    recommender.recommend({ user: 'anybody', count: 1 })
    return given
  }
  /** Estimated by a pass over all items. */
  const fromScratch = () => {
    const evidence: Evidence = {
      impressions: recommender.state.impressions,
      interactions: recommender.state.interactions,
      deviations: deviations!.deviations(),
    }
    const out = new Float32Array(model.itemCount)
    uncertainty.estimate(evidence, out)
    return out
  }
  return { recommender, now, fromScratch }
}

describe.each(Object.entries(estimators))('the cached uncertainty of %s', (_, create) => {
  it('equals that of a pass over all items, after any events', () => {
    fc.assert(
      fc.property(anyLog, fc.array(fc.constantFrom('look', 'learn', 'on')), (events, acts) => {
        const { recommender, now, fromScratch } = open(create())
        for (const [i, event] of events.entries()) {
          recommender.observe(event)
          const act = acts[i % acts.length]
          if (act === 'learn') recommender.fineTune()
          if (act !== 'on') expect(now()).toEqual(fromScratch())
        }
        expect(now()).toEqual(fromScratch())
      }),
      { numRuns: 30 },
    )
  })
})

describe('the cached uncertainty', () => {
  it('is estimated again only for the items that were shown', () => {
    const looked: (readonly number[] | 'all')[] = []
    const count = createCountUncertainty()
    const uncertainty: UncertaintyEstimator = {
      ...count,
      estimate(evidence, out, items) {
        looked.push(items ? [...items] : 'all')
        count.estimate(evidence, out, items)
      },
    }
    const { recommender, now } = open(uncertainty)
    const shown = (...items: string[]) =>
      recommender.observe({
        kind: 'recommendation',
        user: 'ann',
        items: slateItems(items),
        time: 1,
      })
    now()
    now()
    shown(firstItems[2]!, firstItems[0]!)
    shown(firstItems[2]!)
    now()
    recommender.observe({
      kind: 'interaction',
      user: 'ann',
      item: firstItems[1]!,
      reward: 1,
      time: 2,
    })
    now()
    recommender.addItems(['new'])
    now()
    expect(looked).toEqual(['all', [2, 0], 'all'])
  })

  it('follows the generation of an estimator', () => {
    let [generation, value] = [0, 0.5]
    const { now } = open({
      name: 'own',
      movedBy: 'shown',
      get generation() {
        return generation
      },
      estimate: (_, out) => void out.fill(value),
    })
    expect(now()[0]).toBe(0.5)
    value = 0.25
    expect(now()[0]).toBe(0.5)
    generation += 1
    expect(now()[0]).toBe(0.25)
  })

  it('is computed again after a failed estimate', () => {
    const count = createCountUncertainty()
    let fails = false
    const { recommender, now, fromScratch } = open({
      ...count,
      estimate(...args) {
        if (fails) throw new Error('not now')
        count.estimate(...args)
      },
    })
    now()
    recommender.observe({
      kind: 'recommendation',
      user: 'ann',
      items: [{ item: firstItems[3]! }, { item: firstItems[3]! }],
      time: 1,
    })
    fails = true
    expect(now).toThrow('not now')
    fails = false
    expect(now()).toEqual(fromScratch())
    expect(now()[3]).toBeLessThan(1)
  })
})
