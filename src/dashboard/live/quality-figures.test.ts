import { describe, expect, it } from 'vitest'

import type { GroupQuality, Quality } from '../api/contract.ts'
import { headlineOfQuality, historyLines, isBelowPopularity } from './quality-figures.ts'

const quality = (hr10: number, examples = 100): Quality => ({
  examples,
  hr10,
  ndcg10: hr10 / 2,
  mrr: hr10 / 3,
  coverage: 0.5,
})

const live = (served: number, popularity: number, examples = 100) => ({
  served: quality(served, examples),
  model: quality(0, examples),
  memory: quality(0.1, examples),
  popularity: quality(popularity, examples),
})

const group = (served: number, popularity: number, examples = 100): GroupQuality => ({
  group: 'ren',
  serves: 'blend',
  blend: null,
  live: live(served, popularity, examples),
  history: [],
})

describe('quality', () => {
  it('is below popularity only where enough was judged to say so', () => {
    expect(isBelowPopularity(group(0.1, 0.2))).toBe(true)
    expect(isBelowPopularity(group(0.2, 0.2))).toBe(false)
    expect(isBelowPopularity(group(0, 0.2, 49))).toBe(false)
  })

  it('reads as one sentence, against popularity where that finds anything', () => {
    expect(headlineOfQuality({ groups: [group(0.25, 0.05)] })).toBe(
      'The ten items served contain the next choice of 25 % of users, ' +
        '5.0 times as often as the most popular ten.',
    )
    expect(headlineOfQuality({ groups: [group(0.25, 0)] })).toMatch(/25 % of users\.$/)
    expect(headlineOfQuality({ groups: [group(0, 0, 0)] })).toBeNull()
    expect(headlineOfQuality(null)).toBeNull()
  })

  it('has one line per method, with gaps where nothing was judged', () => {
    const history = [
      { time: 1, version: 0, ...live(0, 0, 0) },
      { time: 2, version: 1, ...live(0.2, 0.1) },
    ]
    const lines = historyLines(history)
    expect(lines.map(({ values }) => values)).toEqual([
      [null, 0.2],
      [null, 0],
      [null, 0.1],
      [null, 0.1],
    ])
  })
})
