import { describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { holdOutLatest } from './held-out.ts'

/** Histories of 51 items, the last few of which repeat the first one. */
const histories = (repeats: number) =>
  Array.from({ length: 4 }, () => {
    const items = Int32Array.from({ length: 51 }, (_, i) => (i > 50 - repeats ? 0 : i))
    const { length } = items
    return { items, rewards: new Float32Array(length).fill(1), times: new Float64Array(length) }
  })

const excludes = (repeats: number): boolean =>
  holdOutLatest(histories(repeats), { random: createRandom(1) }).excludeHistory

describe('held-out interactions', () => {
  it('rank without the history below the repeat rate of excludeSeen: auto, and with it above', () => {
    expect(excludes(0)).toBe(true)
    expect(excludes(2)).toBe(true)
    expect(excludes(3)).toBe(false)
  })
})
