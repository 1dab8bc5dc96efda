import { describe, expect, it } from 'vitest'

import type { Settings } from '../../src/experiments/protocol.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'
import { protocols } from '../plans/protocols.ts'
import { impressions as world } from './world.ts'

const files = temporaryFiles()

const impressions = files.write(
  [
    'user,item,clicked,time,impression',
    'ann,a,0,1,1',
    'ann,b,1,1,1',
    'bob,b,0,2,2',
    'bob,c,1,2,2',
    'ann,c,0,4000,3',
    'ann,a,1,4000,3',
    'bob,a,0,8000,4',
    'bob,b,0,8000,4',
    'bob,d,1,8000,4',
  ].join('\n'),
  'impressions.csv',
)

const play = (settings: Settings, method: string, ofMethod: Settings = {}) =>
  protocols.race.run(
    {
      protocol: 'race',
      panel: 'one',
      label: method,
      method,
      settings: ofMethod,
      world: { ...settings, kind: 'impressions' },
      seed: 1,
    },
    () => {},
  )

describe('the world of a log of impressions', () => {
  const ofFile = { file: impressions, timeUnit: 'seconds' }

  it.each<[Settings, number]>([
    [{ ...ofFile, warmUpIntervals: 1 }, 2],
    [{ ...ofFile, warmUpIntervals: 0, feedback: 'full' }, 4],
    [{ ...ofFile, warmUpIntervals: 0, intervalHours: 2, steps: 3 }, 3],
  ])('of %o can be run by any method', async (settings, steps) => {
    expect((await world.create(settings, 1, undefined)).steps).toBe(steps)
    for (const method of ['oracle', 'ren-g', 'click-rate-ucb']) {
      const own = method === 'ren-g' ? { dimension: 4 } : {}
      const { measures } = await play(settings, method, own)
      expect(measures['meanReward']).toBeLessThanOrEqual(1)
      if (method === 'oracle') expect(measures['cumulativeRegret']).toBe(0)
    }
  })

  it.each<[Settings, string]>([
    [{ file: 'x', feedback: 'some' }, 'feedback must be chosen or full'],
    [{ file: 'x', users: 3 }, 'has no key "users"'],
    [{}, 'file is required'],
  ])('refuses %o', (settings, message) => {
    expect(() => world.check(settings)).toThrow(message)
  })
})
