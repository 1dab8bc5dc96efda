// Decisions over small catalogs, for tests of exploration policies.

import { expect } from 'vitest'
import { createRandom } from '../src/core/random.ts'
import type { Random } from '../src/core/random.ts'
import type { Decision, ExplorationPolicy, Slate } from '../src/exploration/index.ts'
import type { Engine, Tensor } from '../src/kernels/index.ts'

export const dimension = 4

/** A catalog of embeddings. `value` defaults to draws from the normal distribution. */
export function catalogOf(
  engine: Engine,
  rows: number,
  value: (at: number, random: Random) => number = (_, random) => random.normal(),
): Tensor {
  const random = createRandom('items')
  const tensor = engine.matrix('items', rows, dimension)
  tensor.values.set(Float32Array.from({ length: rows * dimension }, (_, at) => value(at, random)))
  return tensor
}

let version = 0

/** A request of a user with three visits; every call is a new version of the catalog. */
export function decisionOf(items: Tensor, changes: Partial<Decision> = {}): Decision {
  const random = createRandom('user')
  const counts = Float32Array.from({ length: items.rows }, (_, item) => item)
  return {
    items,
    itemsVersion: version++,
    userEmbedding: Float32Array.from({ length: dimension }, () => random.normal()),
    visited: Int32Array.of(2, 0, 2),
    rewards: Float32Array.of(1, 0.5, 0),
    uncertainty: new Float32Array(items.rows).fill(0.5),
    impressions: counts,
    interactions: counts,
    candidates: null,
    excluded: Int32Array.of(),
    random: createRandom('request'),
    ...changes,
  }
}

/** Changes for a user without a history. */
export const newcomer = { visited: Int32Array.of(), rewards: Float32Array.of() }

export const itemsOf = (slate: Slate): number[] => slate.items.map(({ item }) => item)

/** The standard deviation of the share of successes in `draws` with this probability. */
export const deviation = (chance: number, draws: number): number =>
  Math.sqrt((chance * (1 - chance)) / draws)

export const rowOf = (items: Tensor, item: number): number[] => [
  ...items.values.subarray(item * dimension, (item + 1) * dimension),
]

export const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a, (value, j) => value * b[j]!).reduce((sum, product) => sum + product, 0)

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Checks that two policies return the same items for the same requests. */
export function expectSameSlates(
  one: ExplorationPolicy,
  other: ExplorationPolicy,
  items: Tensor,
  changes: Partial<Decision> = {},
): void {
  for (let seed = 0; seed < 10; seed++) {
    const [a, b] = [one, other].map((policy) =>
      itemsOf(policy.choose(decisionOf(items, { ...changes, random: createRandom(seed) }), 8)),
    )
    expect(a).toEqual(b)
  }
}
