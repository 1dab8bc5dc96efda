import { describe, expect, it } from 'vitest'

import type { GroupQuality, ModelVersion } from '../../service/index.ts'
import { headlineOfQuality, historyOf, servesTexts, untrainedGroups } from './quality-panel.tsx'

const quality = (hr10: number, examples = 100) => ({
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

const group = (served: number, popularity: number): GroupQuality => ({
  group: 'ren',
  serves: 'blend',
  blend: null,
  live: live(served, popularity),
  independent: live(served, popularity),
  judgedOn: 'independent',
  belowPopularity: false,
  heldOut: null,
  history: [],
})

describe('quality', () => {
  it('says that the fitted weights ranked worse if a fallback is served', () => {
    expect(servesTexts.memory).toMatch(/fitted weights ranked clearly worse than memory alone/)
    expect(servesTexts.popularity).toMatch(/worse than popularity alone/)
    for (const serves of ['memory', 'popularity'] as const) {
      expect(servesTexts[serves]).not.toMatch(/the model/)
    }
  })

  it('is one sentence, compared with popularity if that has any hits', () => {
    expect(headlineOfQuality([group(0.25, 0.05)])).toBe(
      'The ten items served contain the next choice of 25% of users, ' +
        '5.0 times as often as the most popular ten.',
    )
    expect(headlineOfQuality([group(0.25, 0)])).toMatch(/25% of users\.$/)
    expect(headlineOfQuality([{ ...group(0, 0), independent: null }])).toBeNull()
    expect(headlineOfQuality([{ ...group(0, 0), independent: live(0.2, 0.1, 10) }])).toBeNull()
  })

  it('does not count clicks on slates, which contain only served items', () => {
    const clicked = { ...group(0, 0), live: live(0.9, 0.1, 1000), independent: null }
    expect(headlineOfQuality([clicked])).toBeNull()
    const text = headlineOfQuality([{ ...clicked, heldOut: live(0.3, 0.1, 235) }])
    expect(text).toMatch(/30% of users/)
  })

  it('prefers held-out interactions if there are more', () => {
    const heldOut = live(0.3, 0.1, 235)
    const text = headlineOfQuality([{ ...group(0.01, 0.05), heldOut }])
    expect(text).toMatch(/30% of users, 3\.0 times/)
  })

  it('has one line per method over time, up to now', () => {
    const point = { time: 1, position: 1, version: 0, ...live(0.1, 0.05) }
    const history = [
      { ...point, judgedOn: 'held-out' as const, time: 0 },
      { ...point, judgedOn: 'live' as const },
    ]
    const { x, lines } = historyOf({ history, live: live(0.2, 0.06) }, 9, false)
    expect(x).toEqual([1, 9])
    expect(lines.map(({ values }) => values)).toEqual([
      [0.1, 0.2],
      [0, 0],
      [0.1, 0.1],
      [0.05, 0.06],
    ])
    expect(historyOf({ history: [], live: null }, 9, false).x).toEqual([])
    expect(historyOf({ history, live: null }, 9, false).x).toEqual([0])
  })

  it('has no line for a model that is not trained yet', () => {
    const { lines } = historyOf({ history: [], live: live(0.2, 0.06) }, 9, true)
    expect(lines.map(({ label, color }) => [label, color])).toEqual([
      ['Served', 0],
      ['Memory alone', 2],
      ['Popularity alone', 3],
    ])
  })

  it('names the groups that still serve their initial weights', () => {
    const version = (name: string, origin: ModelVersion['origin']) =>
      ({ group: name, origin }) as ModelVersion
    const versions = [version('a', 'trained'), version('b', 'start'), version('a', 'start')]
    expect([...untrainedGroups(versions)]).toEqual(['b'])
  })
})
