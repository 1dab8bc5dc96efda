import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { anyLog, firstItems } from '../../test/random-events.ts'
import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import type { Engine } from '../kernels/index.ts'
import { createSequenceModel, gru4rec } from '../models/index.ts'
import type { SequenceModel } from '../models/index.ts'
import { defaultBlend } from '../relevance/index.ts'
import { explainRelevance } from './explain-relevance.ts'
import { createRelevance } from './relevance.ts'
import { emptyState } from './state.ts'

/** Little is retained, so that users are trimmed often. */
const keep = { history: 4, impressions: 6 }

describe('the relevance of items', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine()
  })

  /** With room for every item that a log may add. */
  const modelOf = (items: number): SequenceModel =>
    createSequenceModel(engine, gru4rec({ dimension: 4 }), items, createRandom(1))

  it('is the same whether its counts were followed or added up after a pause, and the sum of its parts', () => {
    const model = modelOf(64)
    const theta = new Float32Array(4)
    fc.assert(
      fc.property(anyLog, fc.boolean(), (events, isTrimmed) => {
        const state = emptyState(firstItems, isTrimmed ? keep : {})
        const followed = createRelevance(model, state, defaultBlend)
        followed.resume()
        for (const event of events) {
          state.apply(event)
          for (const user of state.users.values()) followed.offsets(user)
        }
        const recounted = createRelevance(model, state, defaultBlend)
        recounted.resume()
        const { catalogue } = state
        for (const user of state.users.values()) {
          const offsets = followed.offsets(user)
          expect(offsets).toEqual(recounted.offsets(user))
          for (let item = 0; item < catalogue.names.length; item++) {
            const by = { model, relevance: followed, catalogue }
            const { parts } = explainRelevance(by, user, theta, item)
            const sum = Object.values(parts).reduce((total, part) => total + part, 0)
            expect(Math.abs(sum - offsets[item]!)).toBeLessThan(1e-4)
          }
        }
      }),
      { numRuns: 60 },
    )
  })
})
