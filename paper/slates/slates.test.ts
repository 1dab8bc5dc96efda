import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import type { RunJob } from '../../src/experiments/protocol.ts'
import { slates } from './slates.ts'

const world = {
  data: 'netflix-generated',
  generatedUsers: 60,
  generatedMovies: 80,
  generatedRatings: 1500,
  dimension: 4,
  epochs: 1,
  users: 6,
  minRatings: 2,
  steps: 3,
  slateSize: 5,
  cutoff: 5,
}
const jobOf = (own: Partial<RunJob> = {}): RunJob => ({
  protocol: 'slates',
  panel: 'netflix',
  label: 'a method',
  method: 'greedy',
  settings: {},
  world,
  seed: 1,
  ...own,
})
const play = (own: Partial<RunJob> = {}) => slates.run(jobOf(own), () => {})

describe('the protocol slates', () => {
  it('gives curves over slates and differences from greedy', async () => {
    const row = await play({ method: 'ren', settings: { diversityWeight: 0.5 } })
    expect(row).toMatchObject({ panel: 'netflix', method: 'a method', seed: 1, at: [1, 2, 3] })
    expect(Object.keys(row.series)).toEqual(['holdOutRecall', 'explorationRecall', 'precision'])
    for (const values of Object.values(row.series)) {
      expect(values).toHaveLength(3)
      for (const value of values) expect(value).toBeGreaterThanOrEqual(0)
      for (const value of values) expect(value).toBeLessThanOrEqual(1)
    }
    expect(row.measures['firstChange']).toBeGreaterThanOrEqual(1)
  })

  it('finds no difference between greedy and itself, or REN without weights', async () => {
    const still = { diversityWeight: 0, uncertaintyWeight: 0 }
    for (const row of [await play(), await play({ method: 'ren', settings: still })]) {
      expect(row.measures).toMatchObject({
        holdOutDifference: 0,
        holdOutDifferenceError: 0,
        firstChange: 6,
      })
    }
  })

  it('gives the same row for the same job, except for its time', async () => {
    const own = { method: 'random' }
    const [first, second] = [await play(own), await play(own)]
    expect({ ...second, milliseconds: 0 }).toEqual({ ...first, milliseconds: 0 })
    const timed = await play({ ...own, world: { ...world, timed: true } })
    const { millisecondsPerSlate, ...measures } = timed.measures
    expect(millisecondsPerSlate).toBeGreaterThan(0)
    expect(measures).toEqual(first.measures)
  })

  it('draws known histories without slates as horizontal lines', async () => {
    const { series, measures } = await play({ method: 'oracle' })
    expect(series['holdOutRecall']).toEqual(Array(3).fill(measures['lastHoldOut']))
  })

  it('refuses unknown names before the first run', () => {
    const check = (own: Partial<RunJob>) => () => slates.check(jobOf(own))
    expect(check({})).not.toThrow()
    expect(check({ method: 'oracle' })).not.toThrow()
    expect(check({ method: 'gredy' })).toThrow(/method must be .*greedy.*oracle.*got "gredy"/)
    expect(check({ settings: { epsilon: 1 } })).toThrow(/greedy has no key "epsilon"/)
    expect(check({ method: 'oracle', settings: { order: 'time' } })).toThrow(/oracle has no key/)
    expect(check({ world: { ...world, order: 'reverse' } })).toThrow(/shuffled or time/)
    expect(check({ world: { ...world, speed: 1 } })).toThrow(/world has no key "speed"/)
  })

  it('requires a folder of datasets for published ratings', async () => {
    await expect(play({ world: { data: 'movielens-1m' } })).rejects.toMatchObject({
      code: 'dataset-missing',
    })
  })

  // The published file may not be redistributed. Set REN_DATA to the folder that contains it.
  const data = process.env['REN_DATA'] ?? join(import.meta.dirname, '../../../shared/data')
  it.skipIf(!existsSync(join(data, 'ml-1m')))(
    'knows more of users the more it has shown',
    async () => {
      const small = { data: 'movielens-1m', dimension: 8, epochs: 2, trainingUsers: 200, users: 20 }
      const row = await play({ data, world: { ...small, steps: 3 } })
      const found = row.series['explorationRecall']!
      expect(found[0]).toBeGreaterThan(0.15)
      expect(found).toEqual(found.toSorted((a, b) => a - b))
    },
  )
})
