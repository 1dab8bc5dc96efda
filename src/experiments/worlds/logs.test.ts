import { describe, expect, it } from 'vitest'

import { temporaryFiles } from '../../../test/temporary-files.ts'
import type { Settings } from '../protocol.ts'
import { race } from '../race.ts'
import { worldOf } from './index.ts'

const files = temporaryFiles()

const takes = files.write(
  [
    'user,item,time',
    'ann,a,0',
    'bob,b,1000',
    'ann,c,3600',
    'bob,c,3700',
    'ann,b,7200',
    'bob,a,9000',
  ].join('\n'),
  'log.csv',
)

const play = (world: Settings, method: string, settings: Settings = {}) =>
  race.run(
    { protocol: 'race', panel: 'one', label: method, method, settings, world, seed: 1 },
    () => {},
  )

describe('the world of a log', () => {
  const ofTakes = { kind: 'log', file: takes, timeUnit: 'seconds', intervalHours: 1 }

  it.each<[Settings, number]>([
    [{ ...ofTakes, warmUpShare: 0.3, negatives: 1, slateSize: 2 }, 4],
    [{ ...ofTakes, warmUpShare: 0, slateSize: 1, organic: false, repeats: false }, 6],
  ])('of %o can be run by any method', async (world, steps) => {
    const { kind, ...settings } = world
    expect((await worldOf(kind).create(settings, 1, undefined)).steps).toBe(steps)
    for (const method of ['oracle', 'ren-g', 'popularity']) {
      const { measures } = await play(world, method, method === 'ren-g' ? { dimension: 4 } : {})
      expect(measures['meanReward']).toBeLessThanOrEqual(1)
      if (method === 'oracle') expect(measures['cumulativeRegret']).toBe(0)
    }
  })

  it.each<[string, Settings, string]>([
    ['log', {}, 'file is required'],
    ['log', { file: 'x', users: 3 }, 'has no key "users"'],
    ['log', { file: 'x', intervalHours: 0 }, 'intervalHours must be a number above 0'],
    ['log', { file: 'x', intervalHours: 1, warmUpShare: 1 }, 'a number from 0 to below 1'],
  ])('of %s refuse %o', (kind, settings, message) => {
    expect(() => worldOf(kind).check(settings)).toThrow(message)
  })
})

describe('a log that is shorter than an interval', () => {
  it('is refused with a hint about the time unit', async () => {
    const file = files.write('user,item,time\na,x,1\na,y,2\nb,x,90000\n', 'short.csv')
    await expect(worldOf('log').create({ file }, 1, undefined)).rejects.toThrow(
      /within one interval of 24 hours.*timeUnit/,
    )
  })
})
