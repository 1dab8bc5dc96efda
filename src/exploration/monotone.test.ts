// A larger exploration weight explores at least as much.

import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import type { Decision } from '../core/types.ts'
import { createRenPolicy, scaleFreeWeights } from './ren.ts'

const [rows, columns] = [130, 3]

const weights = fc.oneof(
  fc.integer({ min: 0, max: 64 }).map((share) => share / 64),
  fc.constantFrom(0.001, 0.99, 0.999, 1 - 2 ** -53),
)
const requests = fc.record({
  seed: fc.nat(1e6),
  /** The scale of the embeddings; 0 makes all of them zero. */
  scale: fc.constantFrom(0, 1e-38, 0.05, 1, 30),
  userScale: fc.constantFrom(0, 1, 1),
  /** Steps of 1/64, so that ties occur and float32 separates the others; 0 is none. */
  offsetSteps: fc.constantFrom(0, 1, 20, 500),
  known: fc.constantFrom(1, 4, 1000),
  candidates: fc.constantFrom(null, null, 20, 60),
  excluded: fc.constantFrom(0, 15),
  visits: fc.constantFrom(0, 3),
  exploratorySlots: fc.constantFrom(undefined, undefined, 0, 1, 3),
  exploratoryShare: fc.constantFrom(undefined, undefined, 0.1, 0.5),
  newItemWeight: fc.constantFrom(0, 0, 5),
  count: fc.integer({ min: 1, max: 15 }),
  weights: fc.uniqueArray(weights, { minLength: 3, maxLength: 8 }),
})
type Request = typeof requests extends fc.Arbitrary<infer T> ? T : never

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})

/** Every third item is a copy of the previous one, except for its offset. */
function decide(request: Request): Decision {
  const random = createRandom(request.seed)
  const items = engine.matrix('items', rows, columns)
  const uncertainty = new Float32Array(rows)
  for (let k = 0; k < rows; k++) {
    const isCopy = k % 3 === 2
    for (let j = 0; j < columns; j++) {
      const at = k * columns + j
      items.values[at] = isCopy ? items.values[at - columns]! : request.scale * random.normal()
    }
    const impressions = 1 + random.integer(request.known)
    uncertainty[k] = isCopy ? uncertainty[k - 1]! : 1 / Math.sqrt(impressions)
  }
  const steps = () => Math.round(request.offsetSteps * random.normal()) / 64
  return {
    items,
    itemsVersion: 1,
    userEmbedding: Float32Array.from({ length: columns }, () => {
      return request.userScale * random.normal()
    }),
    offsets: request.offsetSteps > 0 ? Float32Array.from({ length: rows }, steps) : undefined,
    visited: Int32Array.from({ length: request.visits }, () => random.integer(rows)),
    rewards: new Float32Array(request.visits).fill(1),
    uncertainty,
    impressions: new Float32Array(rows),
    interactions: new Float32Array(rows),
    candidates:
      request.candidates === null ? null : Int32Array.from(random.choose(request.candidates, rows)),
    excluded: Int32Array.from(random.choose(request.excluded, rows)),
    random,
  }
}

describe('a top slate', () => {
  it('never has fewer items outside the greedy slate at a larger exploration weight', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const { count, exploratorySlots, exploratoryShare, newItemWeight } = request
        const decision = decide(request)
        const policy = createRenPolicy(engine, { weights: { explorationWeight: 0 } })
        const choose = (explorationWeight: number) =>
          policy.choose({ ...decision, random: createRandom(request.seed) }, count, {
            weights: { explorationWeight },
            newItemWeight,
            ...(exploratoryShare !== undefined && { exploratoryShare }),
            ...(exploratorySlots !== undefined && { exploratorySlots }),
          }).items
        const greedy = new Set(choose(0).map(({ item }) => item))
        const outside = new Map(
          request.weights.map((weight) => {
            const others = choose(weight).filter(({ item }) => !greedy.has(item))
            return [weight, others.length]
          }),
        )
        const rising = request.weights.toSorted((a, b) => a - b)
        const counts = rising.map((weight) => outside.get(weight)!)
        expect(counts).toEqual(counts.toSorted((a, b) => a - b))
        if (rising[0] === 0) expect(counts[0]).toBe(0)
        engine.free(decision.items)
      }),
      { numRuns: 300 },
    )
  })
})

describe('the weights of an exploration weight', () => {
  it('keep their ratio, also if one of them reaches its limit', () => {
    const one = { item: 0, score: 0, relevance: 0, diversity: 1e-38, uncertainty: 0.5 }
    const leading = [one, { ...one, relevance: 1 }]
    const ratios = [0.1, 0.5, 0.999, 1 - 2 ** -53, 1].map((weight) => {
      const { diversityWeight, uncertaintyWeight } = scaleFreeWeights(weight, leading)
      expect(diversityWeight).toBeLessThanOrEqual(1e30)
      return uncertaintyWeight / diversityWeight
    })
    for (const ratio of ratios) expect(ratio / (1e-38 / 0.5)).toBeCloseTo(1, 10)
  })
})
