import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { temporaryFiles } from '../../../test/temporary-files.ts'
import type { RenEvent } from '../../recommender/index.ts'
import type { Settings } from '../protocol.ts'
import { race } from '../race.ts'
import { worldOf } from './index.ts'

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

describe('worlds of logs', () => {
  const ofImpressions = { kind: 'impressions', file: impressions, timeUnit: 'seconds' }
  const ofTakes = { kind: 'log', file: takes, timeUnit: 'seconds', intervalHours: 1 }

  it.each<[Settings, number]>([
    [{ ...ofImpressions, warmUpIntervals: 1 }, 2],
    [{ ...ofImpressions, warmUpIntervals: 0, feedback: 'full' }, 4],
    [{ ...ofImpressions, warmUpIntervals: 0, intervalHours: 2, steps: 3 }, 3],
    [{ ...ofTakes, warmUpShare: 0.3, negatives: 1, slateSize: 2 }, 4],
    [{ ...ofTakes, warmUpShare: 0, slateSize: 1, organic: false, repeats: false }, 6],
  ])('of %o can be run by any method', async (world, steps) => {
    const { kind, ...settings } = world
    expect((await worldOf(kind).create(settings, 1, undefined)).steps).toBe(steps)
    for (const method of ['oracle', 'ren-g', 'click-rate-ucb']) {
      const { measures } = await play(world, method, method === 'ren-g' ? { dimension: 4 } : {})
      expect(measures['meanReward']).toBeLessThanOrEqual(1)
      if (method === 'oracle') expect(measures['cumulativeRegret']).toBe(0)
    }
  })

  it.each(['mind', 'published-log'])('of %s need a folder of datasets', async (kind) => {
    const settings = kind === 'published-log' ? { dataset: 'movielens-1m', intervalHours: 1 } : {}
    await expect(worldOf(kind).create(settings, 1, undefined)).rejects.toMatchObject({
      code: 'dataset-missing',
    })
  })

  it('report what is missing at every request', async () => {
    for (let time = 0; time < 2; time++) {
      await expect(worldOf('mind').create({}, 1, files.folder)).rejects.toMatchObject({
        code: 'dataset-missing',
      })
    }
  })

  it.each<[string, Settings, string]>([
    ['mind', { feedback: 'some' }, 'feedback must be chosen or full'],
    ['mind', { users: 3 }, 'has no key "users"'],
    ['impressions', {}, 'file is required'],
    ['log', { file: 'x', intervalHours: 0 }, 'intervalHours must be a number above 0'],
    ['log', { file: 'x', intervalHours: 1, warmUpShare: 1 }, 'a number from 0 to below 1'],
    [
      'published-log',
      { dataset: 'diginetica', intervalHours: 1 },
      'movielens-1m or movielens-100k',
    ],
  ])('of %s refuse %o', (kind, settings, message) => {
    expect(() => worldOf(kind).check(settings)).toThrow(message)
  })

  // The published file may not be given on: set REN_DATA to the folder that holds it.
  const data = process.env['REN_DATA'] ?? join(import.meta.dirname, '../../../../shared/data')
  it.skipIf(!existsSync(join(data, 'mind-5k')))(
    'of the first 5,000 impressions of MIND have 270 to warm up with and 4,730 rounds',
    async () => {
      const world = await worldOf('mind').create({}, 1, data)
      expect(world.steps).toBe(4730)
      const { events } = world.warmUp!
      expect(events.filter(({ kind }) => kind === 'recommendation')).toHaveLength(270)
      const named = new Set<string>()
      const receive = (some: readonly RenEvent[] = []) => {
        for (const event of some) {
          if (event.kind === 'interaction') named.add(event.item)
          if (event.kind === 'recommendation') for (const { item } of event.items) named.add(item)
        }
      }
      receive(events)
      for (let round = world.nextRound(); round !== null; round = world.nextRound()) {
        receive(round.newEvents)
        for (const item of round.candidates!) named.add(item)
      }
      expect(named.size).toBe(19_036)
    },
    60_000,
  )
})

describe('a log that is shorter than an interval', () => {
  it('is refused with a hint about the time unit', async () => {
    const file = files.write('user,item,time\na,x,1\na,y,2\nb,x,90000\n', 'short.csv')
    await expect(worldOf('log').create({ file }, 1, undefined)).rejects.toThrow(
      /within one interval of 24 hours.*timeUnit/,
    )
  })
})
