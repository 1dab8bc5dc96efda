import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import type { Round } from '../../simulation/index.ts'
import type { Settings } from '../protocol.ts'
import { firstItems, movielensWorlds, worldOf } from './index.ts'

const world = movielensWorlds['ml-1m']

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
  const data = process.env['REN_DATA'] ?? join(import.meta.dirname, '../../../../shared/data')
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

describe('the worlds with known items', () => {
  const roundsOf = async (name: string, settings: Settings = {}) => {
    const environment = await worldOf(name).create(settings, 1, undefined)
    const rounds: Round[] = []
    for (let round = environment.nextRound(); round; round = environment.nextRound()) {
      environment.respond(round, environment.bestSlate(round))
      rounds.push(round)
    }
    return { environment, rounds }
  }

  it.each([
    ['new-users', 3000, 1, 30],
    ['find-the-genre', 400, 10, 4],
  ])(
    'include %s: %i rounds, slates of %i, a new user every %i rounds',
    async (name, ...expected) => {
      const [steps, slateSize, stay] = expected
      const { environment, rounds } = await roundsOf(name)
      expect(environment.steps).toBe(steps)
      expect(rounds.map(({ count }) => count)).toEqual(rounds.map(() => slateSize))
      expect(rounds.map(({ user }) => user)).toEqual(
        rounds.map((_, i) => `user ${Math.floor(i / stay)}`),
      )
    },
  )

  it('include cold-content: 1000 rounds, slates of 10, 50 users, 300 items at a time', async () => {
    const { environment, rounds } = await roundsOf('cold-content')
    expect(environment.steps).toBe(1000)
    expect(new Set(rounds.map(({ user }) => user)).size).toBe(50)
    for (const { count, candidates } of rounds)
      expect([count, candidates!.length]).toEqual([10, 300])
  })

  it('have the options of the synthetic worlds in new-users', async () => {
    const { rounds } = await roundsOf('new-users', { steps: 60, arrivalEvery: 10, slateSize: 2 })
    expect(rounds.at(-1)).toMatchObject({ step: 60, user: 'user 5', count: 2 })
  })

  it.each<[string, Settings, string]>([
    ['new-users', { repeats: 2 }, 'has no key "repeats"'],
    ['find-the-genre', { genres: 0 }, 'genres must be'],
    ['cold-content', { leastAppeal: 2 }, 'leastAppeal must be'],
  ])('of the name %s refuse %o', (name, settings, message) => {
    expect(() => worldOf(name).check(settings)).toThrow(message)
  })
})
