// A linear world in which some items are shown often, some rarely and some never. An estimate of
// uncertainty must distinguish them. Rewards are x_kᵀθ + noise with known x_k and θ.

import { createRandom } from '../src/core/random.ts'

export interface Shown {
  readonly item: number
  readonly reward: number
}

export interface ExposureWorld {
  readonly users: readonly { readonly theta: Float32Array; readonly shown: readonly Shown[] }[]
  /** How often each item was shown. */
  readonly counts: Float64Array
  readonly never: readonly number[]
  /** Shown 1 to 5 times. */
  readonly rarely: readonly number[]
  /** Shown at least 30 times. */
  readonly often: readonly number[]
}

export const worldItems = 40
export const worldDimension = 8
export const worldNoise = 0.3

export function createExposureWorld(seed: number): ExposureWorld {
  const random = createRandom(seed).fork('exposure world')
  const vector = () =>
    Float32Array.from({ length: worldDimension }, () => random.normal() / worldDimension ** 0.25)
  const items = Array.from({ length: worldItems }, vector)
  // Each item is shown less often than the previous one, and every fourth item never.
  const exposed = items.flatMap((_, item) =>
    Array<number>(item % 4 === 3 ? 0 : Math.ceil(256 * 2 ** (-item / 5))).fill(item),
  )
  const users = Array.from({ length: 80 }, () => {
    const theta = vector()
    const shown = Array.from({ length: 10 }, () => {
      const item = exposed[random.integer(exposed.length)]!
      const relevance = items[item]!.reduce((sum, x, i) => sum + x * theta[i]!, 0)
      return { item, reward: relevance + worldNoise * random.normal() }
    })
    return { theta, shown }
  })
  const counts = new Float64Array(worldItems)
  for (const { shown } of users) for (const { item } of shown) counts[item]! += 1
  const where = (test: (n: number) => boolean) => [...counts.keys()].filter((k) => test(counts[k]!))
  return {
    users,
    counts,
    never: where((n) => n === 0),
    rarely: where((n) => n >= 1 && n <= 5),
    often: where((n) => n >= 30),
  }
}

/** Spearman's correlation of two lists; ties share their mean rank. */
export function rankCorrelation(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const [x, y] = [centerdRanks(a), centerdRanks(b)]
  const dot = (u: readonly number[], v: readonly number[]) =>
    u.reduce((sum, value, i) => sum + value * v[i]!, 0)
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y))
}

function centerdRanks(list: ArrayLike<number>): readonly number[] {
  const values = Array.from(list)
  return values.map((value) => {
    const below = values.filter((other) => other < value).length
    const above = values.filter((other) => other > value).length
    return (below - above) / 2
  })
}

export function meanOf(values: ArrayLike<number>, at: readonly number[]): number {
  return at.reduce((sum, i) => sum + values[i]!, 0) / at.length
}
