import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { liveModel, randomHistory } from '../../test/check-causality.ts'
import { expectClose } from '../../test/kernel-workspace.ts'
import { createRandom } from '../core/random.ts'
import type { TestSequence } from '../core/log.ts'
import { createCatalogScorer } from './catalog-scorer.ts'
import { gru4recParity } from './gru4rec-parity.ts'
import { gru4rec } from './gru4rec.ts'
import type { SequenceModel } from './sequence-model.ts'

const sequenceOf = (length: number, firstTarget: number, user: number): TestSequence => ({
  user,
  ...randomHistory(length, createRandom(100 * user + length)),
  firstTarget,
})

/** Scores every item from the history alone: μᵀθ, plus the bias if there is one. */
function scoresAfter(
  model: SequenceModel,
  { items, rewards, times }: TestSequence,
  events: number,
) {
  const theta = new Float32Array(model.dimension)
  const first = <T extends { subarray: (from: number, to: number) => T }>(values: T) =>
    values.subarray(0, events)
  model.userEmbedding({ items: first(items), rewards: first(rewards), times: first(times) }, theta)
  return Array.from({ length: model.itemCount }, (_, item) => {
    const row = model.itemEmbeddings.values.subarray(item * theta.length)
    const bias = model.itemBias?.values[item] ?? 0
    return theta.reduce((sum, value, i) => sum + value * row[i]!, bias)
  })
}

describe.each([
  ['with a start vector', gru4rec({ dimension: 6, window: 5 })],
  ['with item biases', gru4recParity({ dimension: 6, window: 5 })],
])('the scorer of a model %s', (_, architecture) => {
  let model: SequenceModel
  beforeAll(async () => {
    model = await liveModel(architecture, 'reference')
  })

  it('scores each target once, from the events before it in its own sequence and window', () => {
    const lengths = fc.array(fc.tuple(fc.integer({ min: 2, max: 9 }), fc.nat()), { minLength: 1 })
    fc.assert(
      fc.property(lengths, (drawn) => {
        const sequences = drawn.map(([length, pick], user) =>
          sequenceOf(length, 1 + (pick % (length - 1)), user),
        )
        const expected = sequences.flatMap(({ items, firstTarget }, s) =>
          Array.from(
            { length: items.length - firstTarget },
            (_unused, i) => `${s} ${firstTarget + i}`,
          ),
        )
        const visited: string[] = []
        createCatalogScorer(model).scoreTargets(sequences, (s, position, scores) => {
          visited.push(`${s} ${position}`)
          expectClose([...scores], scoresAfter(model, sequences[s]!, position))
        })
        expect(visited.toSorted()).toEqual(expected.toSorted())
      }),
      { numRuns: 15 },
    )
  })

  it('accepts more sequences than fit a batch', () => {
    const sequences = Array.from({ length: 700 }, (_unused, s) => sequenceOf(2 + (s % 3), 1, s % 5))
    const ranks = new Map<string, string>()
    let count = 0
    createCatalogScorer(model).scoreTargets(sequences, (s, position, scores) => {
      const { user, items } = sequences[s]!
      const key = `${user} ${items.length} ${position}`
      // A sequence has the same scores, to the bit, in any batch.
      expect(ranks.get(key) ?? scores.join()).toBe(scores.join())
      ranks.set(key, scores.join())
      count += 1
    })
    expect(count).toBe(sequences.reduce((sum, { items }) => sum + items.length - 1, 0))
  })
})
