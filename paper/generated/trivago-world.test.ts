import { describe, expect, it } from 'vitest'

import type { Settings } from '../../src/experiments/protocol.ts'
import { protocols } from '../plans/protocols.ts'

const small = { users: 40, items: 300, interactions: 90, hours: 20 }

const play = (world: Settings, method: string, settings: Settings = {}) =>
  protocols.race.run(
    {
      protocol: 'race',
      panel: 'one',
      label: method,
      method,
      settings,
      world: { kind: 'trivago-generated', ...small, ...world },
      seed: 1,
    },
    () => {},
  )

describe('the world trivago-generated', () => {
  it.each(['oracle', 'ren-g', 'click-rate-ucb'])('is played by %s', async (method) => {
    const world = { warmUpFineTunes: 1, warmUpIntervals: 13, steps: 20 }
    const row = await play(world, method, method === 'ren-g' ? { dimension: 4 } : {})
    expect(row.measures['meanReward']).toBeLessThanOrEqual(1)
    expect(row.measures['cumulativeRegret']).toBeGreaterThanOrEqual(0)
    if (method === 'oracle') expect(row.measures['cumulativeRegret']).toBe(0)
  })

  it('is equal for equal seeds of the data and differs between seeds', async () => {
    const [first, again, other] = await Promise.all(
      [{}, {}, { dataSeed: 'other' }].map((more) =>
        play({ warmUpFineTunes: 0, ...more }, 'click-rate'),
      ),
    )
    expect(again!.measures).toEqual(first!.measures)
    expect(other!.measures).not.toEqual(first!.measures)
  })
})
