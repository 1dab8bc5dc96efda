// A generated log with a known structure: items form chains, and most users follow one chain.

import { createRandom } from '../src/core/random.ts'
import type { History } from '../src/models/index.ts'

export interface StructuredLog {
  readonly users: number
  readonly items: number
  /** Interactions per user. */
  readonly length: number
  /** Items per chain. */
  readonly chain?: number
  /** The share of interactions that are drawn from the whole catalog. */
  readonly noise?: number
  readonly seed?: number
}

/** The choices of each user: the next item of a chain, and sometimes another one. */
export function structuredHistories(log: StructuredLog): History[] {
  const { users, items, length, chain = 10, noise = 0.1, seed = 1 } = log
  const random = createRandom(seed).fork('structured log')
  return Array.from({ length: users }, () => {
    const first = random.integer(items)
    const start = first - (first % chain)
    const chosen = Int32Array.from({ length }, (_, step) =>
      random.uniform() < noise ? random.integer(items) : start + ((first + step) % chain),
    )
    return {
      items: chosen,
      rewards: new Float32Array(length).fill(1),
      times: Float64Array.from({ length }, (_, step) => 1000 * step),
    }
  })
}

export const structuredNames = (items: number): string[] =>
  Array.from({ length: items }, (_, item) => `item ${item}`)
