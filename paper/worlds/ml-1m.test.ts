import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { firstItems, ml1m as world } from './ml-1m.ts'

describe('the world ml-1m', () => {
  it('has the users with enough interactions, with their first items', () => {
    const log = {
      users: Int32Array.of(0, 0, 0, 1, 2, 2),
      items: Int32Array.of(1, 0, 2, 1, 2, 1),
      rewards: new Float32Array(6),
      times: Float64Array.of(1, 2, 3, 1, 1, 2),
      userNames: ['ann', 'bob', 'cyd'],
      itemNames: ['x', 'y', 'z'],
    }
    expect(firstItems(log, 2)).toEqual([
      { name: 'ann', items: ['y', 'x'] },
      { name: 'cyd', items: ['z', 'y'] },
    ])
  })

  it('needs a folder of datasets', async () => {
    await expect(world.create({}, 1, undefined)).rejects.toMatchObject({ code: 'dataset-missing' })
  })

  it('refuses unknown settings', () => {
    expect(() => world.check({ pond: 'fixed' })).toThrow('has no key "pond"')
    expect(() => world.check({ pool: 'deep' })).toThrow('pool must be arriving or fixed')
  })

  // The published file may not be given on: set REN_DATA to the folder that holds it.
  const data = process.env['REN_DATA'] ?? join(import.meta.dirname, '../../../shared/data')
  it.skipIf(!existsSync(join(data, 'ml-1m')))(
    'has 2,542 users, 3,706 movies and 10,168 rounds',
    async () => {
      const { name, itemNames, steps } = await world.create({}, 1, data)
      expect(name).toBe('cohorts (2542 users, 3706 items)')
      expect(itemNames).toHaveLength(3706)
      expect(steps).toBe(10_168)
      const fixed = await world.create({ users: 1000, cohorts: 1, sweeps: 12 }, 1, data)
      expect(fixed.steps).toBe(12_000)
    },
    60_000,
  )
})
